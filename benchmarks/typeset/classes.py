r"""The classes and options that papers are really made with, each with what it needs.

    STYLES["ieee-journal"].head(rng)      # everything before \begin{document}

`math` names the fonts that the class may be drawn with besides its own; the seed chooses.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

_TABLES = r"\usepackage{booktabs,multirow,graphicx}"
_FONTS = {
    "": "", "times": r"\usepackage{mathptmx}", "newtx": r"\usepackage{newtxtext,newtxmath}", "palatino": r"\usepackage{newpxtext,newpxmath}",
    "mathpazo": r"\usepackage{mathpazo}", "stix2": r"\usepackage{stix2}", "stix": r"\usepackage{stix}", "lm": r"\usepackage[T1]{fontenc}\usepackage{lmodern}",
    "kp": r"\usepackage{kpfonts}", "fourier": r"\usepackage{fourier}", "libertine": r"\usepackage{libertinus-type1}\usepackage{libertinust1math}",
    "tx": r"\usepackage{txfonts}", "bright": r"\usepackage{cmbright}",
    "xits": r"\usepackage{unicode-math}\setmathfont{XITSMath-Regular.otf}", "lmuni": r"\usepackage{unicode-math}",
    "stixuni": r"\usepackage{unicode-math}\setmathfont{STIXTwoMath-Regular.otf}", "termes": r"\usepackage{unicode-math}\setmathfont{texgyretermes-math.otf}",
    "fira": r"\usepackage{unicode-math}\setmathfont{FiraMath-Regular.otf}", "eulervm": r"\usepackage{eulervm}",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Style:
    """One class with its options."""

    name: str
    cls: str  # the argument of \documentclass, options included
    front: str
    columns: int = 1
    bst: str = ""
    cite: str = "num"
    packages: str = ""
    math: tuple[str, ...] = ("",)
    engine: str = "pdflatex"
    language: str = "en"
    kind: str = "article"
    bibliography: str = "bst"
    abstract: bool = True
    footnotes: bool = True
    sideways: bool = True
    long_tables: bool = True
    side_captions: bool = False
    after: str = ""
    before: str = ""  # before \documentclass
    prepare: str = ""  # after the packages

    def head(self, rng: random.Random) -> str:
        """Everything before the document."""
        math = _FONTS[rng.choice(self.math)]
        loaded = "" if "mathtools" in self.packages else r"\usepackage{amsmath}"
        symbols = (
            r"\providecommand{\mathbb}[1]{\mathbf{#1}}"
            if "unicode-math" in math
            else (
                ""
                if any(f in math for f in ("stix", "newtx", "newpx", "kpfonts", "libertinust", "txfonts"))
                else r"\usepackage{amssymb}"
            )
        )
        extra = r"\usepackage{rotating}" if self.sideways else ""
        extra += r"\usepackage{longtable}" if self.long_tables else ""
        extra += r"\usepackage{sidecap}" if self.side_captions else ""
        return "\n".join([
            self.before, rf"\documentclass{self.cls}", loaded, math, symbols, _TABLES, extra, self.packages, self.prepare,
        ])  # fmt: skip


_NATBIB = r"\usepackage{natbib}"
_NUMBERS = r"\usepackage[numbers]{natbib}"
_UTF8 = r"\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}"
_CITEP = r"\providecommand{\citep}[1]{\cite{#1}}"
_RU = r"\usepackage[T2A]{fontenc}\usepackage[utf8]{inputenc}\usepackage[english,russian]{babel}"
_XE_RU = r"\usepackage{fontspec}\setmainfont{cmunrm.otf}[BoldFont=cmunbx.otf,ItalicFont=cmunti.otf,BoldItalicFont=cmunbi.otf]\usepackage{polyglossia}\setdefaultlanguage{russian}"
_EL = r"\usepackage{fontspec}\setmainfont{cmunrm.otf}[BoldFont=cmunbx.otf,ItalicFont=cmunti.otf,BoldItalicFont=cmunbi.otf]\usepackage{polyglossia}\setdefaultlanguage{greek}"
_AR = r"\usepackage{fontspec}\usepackage{polyglossia}\setdefaultlanguage{arabic}\newfontfamily\arabicfont[Script=Arabic]{Amiri}"
_SIAM = (
    r"\usepackage{titlesec}\titleformat{\section}[runin]{\normalfont\bfseries}{\thesection.}{.5em}{}[.]"
    r"\titleformat{\subsection}[runin]{\normalfont\itshape}{\thesubsection.}{.5em}{}[.]"
)
_SN = r"\usepackage[margin=2.6cm]{geometry}\usepackage{titlesec}\titleformat{\section}{\normalfont\sffamily\Large\bfseries}{\thesection}{1em}{}"
_PLOS = r"\usepackage[left=6cm,right=2cm]{geometry}\usepackage{lineno}\linenumbers\setcounter{secnumdepth}{0}"
_BMC = r"\usepackage[margin=2cm]{geometry}\setcounter{secnumdepth}{0}\usepackage{titlesec}\titleformat{\section}{\normalfont\sffamily\bfseries}{}{0pt}{}\titleformat{\subsection}{\normalfont\itshape}{}{0pt}{}"
_CAPS = r"\usepackage{titlesec,fancyhdr}\titleformat{\section}[block]{\normalfont\scshape\centering}{\thesection.}{.5em}{}\titleformat{\subsection}{\normalfont\itshape}{\thesubsection.}{.5em}{}\pagestyle{fancy}\fancyhf{}\fancyhead[L]{\nouppercase{\leftmark}}\fancyhead[R]{\thepage}"
_COLUMNS = r"\usepackage[margin=1.6cm,columnsep=5mm,twocolumn]{geometry}\usepackage{titlesec}\titleformat{\section}{\normalfont\sffamily\bfseries\uppercase}{}{0pt}{}\titleformat{\subsection}{\normalfont\sffamily\small}{}{0pt}{}"
_RUNIN = r"\usepackage{titlesec}\setcounter{secnumdepth}{0}\titleformat{\section}{\normalfont\large\itshape}{}{0pt}{}\titleformat{\subsection}[runin]{\normalfont\bfseries}{}{0pt}{}[.]\usepackage{setspace}\doublespacing"
_T1MATH = ("", "times", "newtx", "stix2", "palatino", "lm", "mathpazo")

_ALL = (
    Style("ieee-journal", "[journal]{IEEEtran}", "ieeejournal", 2, "IEEEtran", math=("", "newtx", "stix2"), packages=_CITEP, long_tables=False),
    Style("ieee-conference", "[conference]{IEEEtran}", "ieee", 2, "IEEEtran", math=("", "times"), packages=_CITEP, long_tables=False),
    Style("ieee-onecolumn", "[journal,onecolumn,draftcls,12pt]{IEEEtran}", "ieeejournal", 1, "IEEEtran", packages=_CITEP),
    Style("acm-sigconf", "[sigconf,nonacm]{acmart}", "acm", 2, "ACM-Reference-Format", sideways=False, long_tables=False),
    Style("acm-small", "[acmsmall,nonacm]{acmart}", "acm", 1, "ACM-Reference-Format", sideways=False, long_tables=False),
    Style("acm-sigplan", "[sigplan,nonacm,authoryear]{acmart}", "acm", 2, "ACM-Reference-Format", cite="author", sideways=False, long_tables=False),
    Style("els-1p", "[1p,times]{elsarticle}", "elsevier", 1, "elsarticle-num", math=("", "newtx")),
    Style("els-3p", "[3p,authoryear]{elsarticle}", "elsevier", 1, "elsarticle-harv", cite="author", math=("", "newtx")),
    Style("els-5p", "[5p,twocolumn]{elsarticle}", "elsevier", 2, "elsarticle-num", long_tables=False),
    Style("els-review", "[preprint,review,12pt]{elsarticle}", "elsevier", 1, "elsarticle-num-names"),
    Style("cas-sc", "[a4paper,fleqn]{cas-sc}", "cas", 1, "cas-model2-names", cite="author", packages=r"\usepackage[authoryear]{natbib}", sideways=False, long_tables=False),
    Style("cas-dc", "[a4paper,fleqn]{cas-dc}", "cas", 2, "elsarticle-num", packages=_NUMBERS, sideways=False, long_tables=False),
    Style("lncs", "{llncs}", "lncs", 1, "splncs04", packages=_CITEP, math=("", "times")),
    Style("svjour-like", "[twocolumn,10pt]{article}", "marked", 2, "plainnat", packages=_NUMBERS + _UTF8, math=("mathpazo", "times"), prepare=r"\usepackage[margin=1.9cm]{geometry}", long_tables=False),
    Style("revtex-one", "[aps,pre,onecolumn,nofootinbib]{revtex4-2}", "revtex", 1, "", math=("", "newtx"), sideways=False),
    Style("revtex-two", "[aps,prl,twocolumn,superscriptaddress]{revtex4-2}", "revtex", 2, "", sideways=False, long_tables=False),
    Style("revtex-aip", "[aip,jcp,reprint]{revtex4-2}", "revtex", 2, "", cite="super", sideways=False, long_tables=False),
    Style("amsart", "{amsart}", "ams", 1, "amsplain", packages=_CITEP + _UTF8, math=("", "mathpazo", "fourier")),
    Style("amsart-11", "[11pt,reqno]{amsart}", "ams", 1, "amsalpha", packages=_CITEP + _UTF8, math=("", "stix"), prepare=r"\numberwithin{equation}{section}"),
    Style("aastex-two", "[twocolumn]{aastex631}", "aas", 2, "aasjournal", cite="author", sideways=False, long_tables=False),
    Style("aastex-one", "[manuscript]{aastex631}", "aas", 1, "aasjournal", cite="author", sideways=False, long_tables=False),
    Style("siam-like", "[10pt,leqno]{article}", "plain", 1, "siam", packages=_CITEP + _UTF8, prepare=_SIAM + r"\numberwithin{equation}{section}"),
    Style("achemso", "[journal=jacsat,manuscript=article]{achemso}", "acs", 1, "", cite="super", math=("",), sideways=False),
    Style("apa7-man", "[man]{apa7}", "apa", 1, "plainnat", cite="author", packages=_NATBIB, sideways=False, long_tables=False),
    Style("apa7-jou", "[jou]{apa7}", "apa", 2, "plainnat", cite="author", packages=_NATBIB, sideways=False, long_tables=False, footnotes=False),
    Style("sn-like", "[10pt]{article}", "marked", 1, "unsrtnat", packages=_NUMBERS + _UTF8, math=("newtx", "times", "stix2"), prepare=_SN, side_captions=True),
    Style("plos-like", "[10pt]{article}", "labelled", 1, "unsrtnat", packages=_NUMBERS + _UTF8, prepare=_PLOS),
    Style("bmc-like", "[10pt,twocolumn]{article}", "labelled", 2, "vancouver", packages=_CITEP + _UTF8, math=("tx", "newtx"), prepare=_BMC, long_tables=False),
    Style("mnras", "[usenatbib]{mnras}", "mnras", 2, "mnras", cite="author", math=("", "newtx"), sideways=False, long_tables=False),
    Style("oup", "[webpdf,contemporary,large]{oup-authoring-template}", "oup", 2, "plainnat", packages="", sideways=False, long_tables=False),
    Style("jmlr", "{jmlr}", "jmlr", 1, "plainnat", cite="author", sideways=False, long_tables=False),
    Style("asmejour", "{asmejour}", "asme", 2, "asmejour", sideways=False, long_tables=False, footnotes=False),
    Style("koma-article", "[11pt,a4paper]{scrartcl}", "plain", 1, "alpha", packages=_CITEP + _UTF8, math=("lm", "palatino", "libertine", "kp"), side_captions=True),
    Style("koma-german", "[11pt,ngerman]{scrartcl}", "plain", 1, "plainnat", cite="author", packages=_NATBIB + _UTF8 + r"\usepackage{babel}", language="de", math=("lm", "libertine")),
    Style("koma-report", "[twoside=false]{scrreprt}", "thesis", 1, "alpha", packages=_CITEP + _UTF8, kind="thesis", math=("lm", "palatino")),
    Style("koma-book", "[11pt,paper=a5]{scrbook}", "thesis", 1, "plain", packages=_CITEP + _UTF8, kind="thesis", math=("kp", "libertine", "fourier")),
    Style("memoir-book", "[11pt,a4paper]{memoir}", "thesis", 1, "plain", packages=_CITEP + _UTF8, kind="thesis", math=("palatino", "fourier", "lm"), prepare=r"\chapterstyle{veelo}"),
    Style("book-thesis", "[12pt,oneside]{book}", "thesis", 1, "plain", packages=_CITEP + _UTF8, kind="thesis", prepare=r"\usepackage{setspace}\onehalfspacing"),
    Style("report-cover", "[11pt]{article}", "report", 1, "abbrv", packages=_CITEP + _UTF8, math=("bright", "lm", "times")),
    Style("tufte", "{tufte-handout}", "plain", 1, "plainnat", cite="author", bibliography="list", footnotes=False, sideways=False, long_tables=False),
    Style("two-column-old", "[twocolumn,10pt]{article}", "plain", 2, "plain", packages=_CITEP, math=("", "times"), long_tables=False),
    Style("one-column-old", "[12pt]{article}", "plain", 1, "unsrt", packages=_CITEP, side_captions=True),
    Style("lualatex-modern", "[11pt]{article}", "marked", 1, "plainnat", packages=_NUMBERS, engine="lualatex", math=("xits", "stixuni", "termes", "lmuni", "fira")),
    Style("xelatex-modern", "[10pt,twocolumn]{article}", "marked", 2, "plainnat", packages=_NUMBERS, engine="xelatex", math=("xits", "stixuni", "termes", "lmuni"), long_tables=False),
    # Seen by nothing that was set or trained.
    Style("paper", "[11pt]{paper}", "plain", 1, "plain", packages=_CITEP + _UTF8),
    Style("tugboat", "{ltugboat}", "plain", 2, "plain", packages=_CITEP, sideways=False, long_tables=False),
    Style("spie", "{spie}", "plain", 1, "spiebib", packages=_CITEP),
    Style("ieee-old", "{IEEEconf}", "plain", 2, "unsrt", packages=_CITEP, sideways=False, long_tables=False),
    Style("aiaa", "{aiaa-tc}", "plain", 1, "unsrt", packages=_CITEP),
    Style("headings", "[11pt,a4paper,twoside]{article}", "marked", 1, "plainnat", cite="author", packages=_NATBIB + _UTF8, math=("times", "lm"), prepare=r"\pagestyle{headings}"),
    Style("small-caps", "[10pt]{article}", "labelled", 1, "unsrt", packages=_CITEP + _UTF8, math=("mathpazo", "tx"), prepare=_CAPS),
    Style("columns", "[9pt]{extarticle}", "marked", 2, "unsrt", packages=_CITEP + _UTF8, math=("times", "lm"), prepare=_COLUMNS, long_tables=False),
    Style("run-in", "[11pt]{article}", "marked", 1, "plainnat", cite="author", packages=_NATBIB + _UTF8, math=("times",), prepare=_RUNIN),
    Style("beamer", "[10pt]{beamer}", "beamer", 1, kind="slides", bibliography="", abstract=False, footnotes=False, sideways=False, long_tables=False),
    Style("beamer-madrid", "[aspectratio=169]{beamer}", "beamer", 1, kind="slides", bibliography="", abstract=False, footnotes=False, sideways=False, long_tables=False, prepare=r"\usetheme{Madrid}"),
    Style("beamer-metropolis", "{beamer}", "beamer", 1, kind="slides", bibliography="", abstract=False, footnotes=False, sideways=False, long_tables=False, prepare=r"\usetheme{metropolis}", engine="lualatex"),
    Style("ctex", "{ctexart}", "plain", 1, "unsrt", engine="xelatex", language="zh", packages=_CITEP, long_tables=True),
    Style("ctex-two", "[twocolumn,zihao=5]{ctexart}", "marked", 2, "unsrt", engine="xelatex", language="zh", packages=_CITEP, long_tables=False),
    Style("jsarticle", "[uplatex,dvipdfmx,twocolumn]{jsarticle}", "plain", 2, engine="uplatex", language="ja", bibliography="list", long_tables=False),
    Style("ltjs", "{ltjsarticle}", "plain", 1, engine="lualatex", language="ja", bibliography="list"),
    Style("russian", "[12pt]{article}", "plain", 1, "", packages=_RU + _CITEP, language="ru", bibliography="list"),
    Style("russian-two", "[10pt,twocolumn]{article}", "marked", 2, "", packages=_XE_RU + _CITEP, language="ru", bibliography="list", engine="xelatex", long_tables=False),
    Style("greek", "[11pt]{article}", "plain", 1, "", packages=_EL + _CITEP, language="el", bibliography="list", engine="xelatex"),
    Style("arabic", "[12pt]{article}", "plain", 1, "", packages=_AR + _CITEP, language="ar", bibliography="list", engine="xelatex", sideways=False),
    Style("french", "[11pt,french]{article}", "plain", 1, "plain", packages=_CITEP + _UTF8 + r"\usepackage{babel}", language="fr", math=("lm", "fourier")),
    Style("letter", "[11pt]{letter}", "letter", 1, kind="letter", bibliography="", abstract=False, footnotes=False, sideways=False, long_tables=False, after="\n\\closing{Yours sincerely,}\n\\end{letter}"),
    Style("koma-letter", "{scrlttr2}", "letter", 1, kind="letter", bibliography="", abstract=False, footnotes=False, sideways=False, long_tables=False, after="\n\\closing{Yours sincerely,}\n\\end{letter}"),
    Style("tikzposter", "[25pt,a0paper,portrait]{tikzposter}", "poster", 1, kind="poster", bibliography="", abstract=False, footnotes=False, sideways=False, long_tables=False),
)  # fmt: skip
STYLES = {style.name: style for style in _ALL}
