r"""Front matter in the words of each family of classes: from `\title` to `\maketitle`, abstract included.

fronts.ieee(front)     # r'\title{...}\author{\IEEEauthorblockN{...' ...
"""

from __future__ import annotations

from dataclasses import dataclass

from prose import Voice, escaped


@dataclass(frozen=True, slots=True)
class Person:
    """An author: the name as printed, its parts, and the number of the institution."""

    name: str
    first: str
    last: str
    place: int


@dataclass(slots=True)
class Front:
    """What stands before the first section."""

    title: str
    people: list[Person]
    places: list[str]
    city: str
    abstract: str
    keywords: list[str]
    voice: Voice
    email: str

    @property
    def tex_title(self) -> str:
        """The title as LaTeX."""
        return escaped(self.title)

    @property
    def tex_abstract(self) -> str:
        """The abstract as LaTeX."""
        return escaped(self.abstract)

    @property
    def words(self) -> str:
        """The keywords in one line."""
        return ", ".join(self.keywords)


def _abstract(f: Front) -> str:
    return f"\\begin{{abstract}}\n{f.tex_abstract}\n\\end{{abstract}}" if f.abstract else ""


def plain(f: Front) -> str:
    r"""Standard classes: authors joined by \and, places as notes or lines."""
    people = r" \and ".join(rf"{p.name}\\{{\small {f.places[p.place]}}}" for p in f.people)
    after = rf"\par\noindent\textbf{{{f.voice.label('keywords')}:}} {f.words}" + "\n" if f.keywords else ""
    return rf"\title{{{f.tex_title}}}\author{{{people}}}\date{{}}\maketitle" + "\n" + _abstract(f) + after


def marked(f: Front) -> str:
    """One line of names with raised numbers, the places under it."""
    people = ", ".join(rf"{p.name}$^{{{p.place + 1}}}$" for p in f.people)
    places = r"\\ ".join(rf"{{\small $^{{{k + 1}}}${place}}}" for k, place in enumerate(f.places))
    after = rf"\par\noindent\textbf{{{f.voice.label('keywords')}:}} {f.words}" + "\n" if f.keywords else ""
    return (
        rf"\title{{{f.tex_title}}}\author{{{people}\\ {places}}}\date{{}}\maketitle"
        + "\n"
        + _abstract(f)
        + after
    )


def labelled(f: Front) -> str:
    """As publishers print it: a section label, the title at the left, history of the article, a boxed abstract."""
    people = ", ".join(
        rf"{p.name}\textsuperscript{{{p.place + 1}{',*' if k == 0 else ''}}}" for k, p in enumerate(f.people)
    )
    places = "\n\n".join(
        rf"{{\footnotesize\textsuperscript{{{k + 1}}} {place}\par}}" for k, place in enumerate(f.places)
    )
    return "\n".join([
        r"\thispagestyle{empty}\noindent{\sffamily\small ORIGINAL RESEARCH ARTICLE\hfill Open Access\par}\vspace{6pt}",
        rf"\noindent{{\LARGE\bfseries\raggedright {f.tex_title}\par}}\vspace{{8pt}}", rf"\noindent{{\large {people}\par}}\vspace{{4pt}}", r"\noindent " + places,
        rf"\noindent{{\footnotesize *Correspondence: {f.email}. Received 3 March 2020; accepted 9 June 2020\par}}\vspace{{6pt}}",
        rf"\noindent\fbox{{\parbox{{0.97\linewidth}}{{\textbf{{Abstract}}\quad {f.tex_abstract}\par\smallskip\textbf{{Keywords}}\quad {f.words}}}}}\par\vspace{{10pt}}",
    ])  # fmt: skip


def ieee(f: Front) -> str:
    """IEEE conferences."""
    people = r" \and ".join(
        rf"\IEEEauthorblockN{{{p.name}}}\IEEEauthorblockA{{\textit{{{f.places[p.place]}}}\\ {f.city}\\ {f.email}}}"
        for p in f.people
    )
    return (
        rf"\title{{{f.tex_title}}}\author{{{people}}}\maketitle"
        + f"\n{_abstract(f)}\n\\begin{{IEEEkeywords}}\n{f.words}\n\\end{{IEEEkeywords}}"
    )


def ieeejournal(f: Front) -> str:
    """IEEE journals: affiliations in the first footnote, running heads, a large initial."""
    people = ", ".join(rf"{p.name},~\IEEEmembership{{Member,~IEEE}}" for p in f.people)
    where = escaped(f.places[0])
    return (
        rf"\title{{{f.tex_title}}}\author{{{people}\thanks{{The authors are with the {where} (e-mail: {f.email}).}}}}"
        rf"\markboth{{Journal of Made-up Results, Vol.~14, No.~8, August~2015}}{{{f.people[0].last} \MakeLowercase{{\textit{{et al.}}}}: {f.tex_title}}}\maketitle"
        f"\n{_abstract(f)}\n\\begin{{IEEEkeywords}}\n{f.words}\n\\end{{IEEEkeywords}}\n\\IEEEpeerreviewmaketitle"
    )


def acm(f: Front) -> str:
    """Class acmart."""
    people = "\n".join(
        rf"\author{{{p.name}}}\affiliation{{\institution{{{f.places[p.place]}}}\city{{{f.city}}}\country{{Utopia}}}}\email{{{f.email}}}"
        for p in f.people
    )
    return (
        rf"\title{{{f.tex_title}}}" + f"\n{people}\n{_abstract(f)}\n" + rf"\keywords{{{f.words}}}\maketitle"
    )


def elsevier(f: Front) -> str:
    """elsarticle: everything within frontmatter."""
    people = "\n".join(rf"\author[p{p.place}]{{{p.name}}}" for p in f.people)
    places = "\n".join(
        rf"\affiliation[p{k}]{{organization={{{place}}},city={{{f.city}}},country={{Utopia}}}}"
        for k, place in enumerate(f.places)
    )
    words = r" \sep ".join(f.keywords)
    return f"\\begin{{frontmatter}}\n\\title{{{f.tex_title}}}\n{people}\n{places}\n{_abstract(f)}\n\\begin{{keyword}}\n{words}\n\\end{{keyword}}\n\\end{{frontmatter}}"


def cas(f: Front) -> str:
    """Elsevier's cas-sc and cas-dc."""
    people = "\n".join(rf"\author[{p.place + 1}]{{{p.name}}}" for p in f.people)
    places = "\n".join(
        rf"\affiliation[{k + 1}]{{organization={{{place}}},city={{{f.city}}},country={{Utopia}}}}"
        for k, place in enumerate(f.places)
    )
    words = r" \sep ".join(f.keywords)
    return (
        rf"\shorttitle{{A short title}}\shortauthors{{{f.people[0].last} et al.}}\title[mode=title]{{{f.tex_title}}}"
        f"\n{people}\n{places}\n{_abstract(f)}\n\\begin{{keywords}}\n{words}\n\\end{{keywords}}\n\\maketitle"
    )


def lncs(f: Front) -> str:
    """llncs: institutes by number."""
    people = r" \and ".join(rf"{p.name}\inst{{{p.place + 1}}}" for p in f.people)
    places = r" \and ".join(rf"{place}, {f.city}" for place in f.places)
    words = r" \and ".join(f.keywords)
    return (
        rf"\title{{{f.tex_title}}}\author{{{people}}}\institute{{{places}\\ \email{{{f.email}}}}}\maketitle"
        f"\n\\begin{{abstract}}\n{f.tex_abstract}\n\\keywords{{{words}}}\n\\end{{abstract}}"
    )


def revtex(f: Front) -> str:
    """revtex: an affiliation after each author, the abstract before the title is made."""
    people = "\n".join(rf"\author{{{p.name}}}\affiliation{{{f.places[p.place]}}}" for p in f.people)
    return f"\\title{{{f.tex_title}}}\n{people}\n\\date{{\\today}}\n{_abstract(f)}\n\\maketitle"


def aas(f: Front) -> str:
    """aastex: title before, keywords as concepts."""
    people = "\n".join(rf"\author{{{p.name}}}\affiliation{{{f.places[p.place]}}}" for p in f.people)
    return f"\\title{{{f.tex_title}}}\n{people}\n{_abstract(f)}\n\\keywords{{{f.words}}}"


def ams(f: Front) -> str:
    """amsart: addresses at the end of the paper."""
    people = "\n".join(
        rf"\author{{{p.name}}}\address{{{f.places[p.place]}}}\email{{{f.email}}}" for p in f.people
    )
    return f"\\title{{{f.tex_title}}}\n{people}\n\\keywords{{{f.words}}}\n{_abstract(f)}\n\\maketitle"


def acs(f: Front) -> str:
    """achemso: names and title before the document, where the class makes the title."""
    people = "\n".join(
        rf"\author{{{p.name}}}\affiliation{{{f.places[p.place]}}}\email{{{f.email}}}" for p in f.people
    )
    return f"{people}\n\\title{{{f.tex_title}}}\n\\begin{{document}}\n{_abstract(f)}"


def apa(f: Front) -> str:
    """apa7."""
    people = ",".join(f"{{{p.name}}}" for p in f.people)
    places = ",".join(f"{{{f.places[p.place]}}}" for p in f.people)
    return (
        rf"\title{{{f.tex_title}}}\shorttitle{{A short title}}\authorsnames{{{people}}}\authorsaffiliations{{{places}}}"
        rf"\abstract{{{f.tex_abstract}}}\keywords{{{f.words}}}\maketitle"
    )


def mnras(f: Front) -> str:
    """Monthly Notices."""
    people = r",\newauthor ".join(rf"{p.name}$^{{{p.place + 1}}}$" for p in f.people)
    places = r"\\ ".join(rf"$^{{{k + 1}}}${place}" for k, place in enumerate(f.places))
    return (
        rf"\title[A short title]{{{f.tex_title}}}\author[{f.people[0].last} et al.]{{{people}\\ {places}}}\date{{Accepted 2019}}\pubyear{{2019}}\maketitle"
        f"\n{_abstract(f)}\n\\begin{{keywords}}\n{f.words}\n\\end{{keywords}}"
    )


def oup(f: Front) -> str:
    """Oxford's template."""
    people = "\n".join(rf"\author[{p.place + 1}]{{{p.name}}}" for p in f.people)
    places = "\n".join(
        rf"\address[{k + 1}]{{\orgname{{{place}}}, \country{{Utopia}}}}" for k, place in enumerate(f.places)
    )
    return (
        rf"\journaltitle{{Made-up Results}}\DOI{{10.0000/x}}\copyrightyear{{2021}}\pubyear{{2021}}\access{{Advance}}\appnotes{{Paper}}\firstpage{{1}}\title[A short title]{{{f.tex_title}}}"
        f"\n{people}\n{places}\n\\abstract{{{f.tex_abstract}}}\n\\keywords{{{f.words}}}\n\\maketitle"
    )


def jmlr(f: Front) -> str:
    """Class jmlr."""
    people = r"\AND ".join(
        rf"\Name{{{p.name}}} \Email{{{f.email}}}\\ \addr {f.places[p.place]}" + "\n" for p in f.people
    )
    return (
        rf"\title[A short title]{{{f.tex_title}}}\author{{{people}}}\maketitle"
        + f"\n{_abstract(f)}\n\\begin{{keywords}}\n{f.words}\n\\end{{keywords}}"
    )


def asme(f: Front) -> str:
    """Class asmejour."""
    people = "\n".join(
        rf"\SetAuthorBlock{{{p.name}}}{{{f.places[p.place]},\\ {f.city}\\ email: {f.email}}}"
        for p in f.people
    )
    return f"{people}\n\\title{{{f.tex_title}}}\n\\keywords{{{f.words}}}\n{_abstract(f)}\n\\maketitle"


def beamer(f: Front) -> str:
    """A title slide and an outline."""
    people = r" \and ".join(p.name for p in f.people)
    return rf"\title{{{f.tex_title}}}\author{{{people}}}\institute{{{f.places[0]}}}\date{{}}\frame{{\titlepage}}\begin{{frame}}{{Outline}}\tableofcontents\end{{frame}}"


def letter(f: Front) -> str:
    """A letter has no title: sender, address, opening."""
    return "\n".join([
        rf"\begin{{letter}}{{{f.voice.name(('Anna', 'Box'))}\\ {f.places[0]}\\ {f.city}}}", r"\opening{Dear colleague,}",
    ])  # fmt: skip


def thesis(f: Front) -> str:
    """A title page with the institution above and the degree below."""
    return (
        r"\begin{titlepage}\centering"
        + rf"{{\Large {f.places[0]}\par}}\vspace{{3cm}}{{\huge\bfseries {f.tex_title}\par}}\vspace{{2cm}}"
        rf"{{\Large {f.people[0].name}\par}}\vfill A thesis submitted for the degree of Doctor of Philosophy\par {f.city}, 2019\end{{titlepage}}"
        + (rf"\chapter*{{{f.voice.label('abstract')}}}" + "\n" + f.tex_abstract if f.abstract else "")
    )


def report(f: Front) -> str:
    """A cover sheet, then the title again over the text."""
    return (
        r"\begin{titlepage}\noindent{\sffamily\bfseries TECHNICAL REPORT 2017-03\par}\vspace{5cm}"
        rf"\noindent{{\Large {f.places[0]}\par}}\vfill\noindent This document is made available for research. Please cite the published version.\end{{titlepage}}"
        + plain(f)
    )


def poster(f: Front) -> str:
    """Class tikzposter."""
    return rf"\title{{{f.tex_title}}}\author{{{', '.join(p.name for p in f.people)}}}\institute{{{f.places[0]}}}\maketitle"
