"""Common words that tell kinds of names apart: given names, countries, what groups, places and works are.

Short lists of common words, written by hand; the nouns with the development questions in view.
"""

from __future__ import annotations

from quire.tasks.offline.hotpotqa.words import stem


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


GIVEN_NAMES = _set(
    "aaron abraham adam adolf adrian al alan albert alec alex alexander alexandra alfred ali alice "
    "alicia allen alison amanda amy andre andrea andrew andy angela angelina ann anna anne annie "
    "anthony antoine antonio april arnold arthur ashley barbara barry ben benjamin bernard beth betty "
    "bill billy bob bobby boris brad bradley brandon brenda brett brian britney bruce bryan cameron "
    "carl carlo carlos carol caroline catherine cecil charles charlie charlotte chris christian "
    "christina christine christopher cindy claire clara clark claude clint colin connie craig cynthia "
    "dan daniel danny darren dave david dean deborah debra denis dennis derek diana diane dick dominic "
    "don donald donna dorothy doug douglas dustin dwight earl ed eddie edgar edith edmund eduardo "
    "edward edwin eleanor elena elizabeth ella ellen emily emma enrique eric erik ernest ethan eugene "
    "eva evan evelyn felix fernando florence frances francis francisco frank franklin franz fred "
    "freddie frederick friedrich gabriel gareth gary gavin gene geoffrey george gerald gerard giovanni "
    "giuseppe glenn gordon grace graham grant greg gregory guy hans harold harriet harrison harry "
    "harvey hector heather helen helena henri henry herbert herman howard hugh hugo ian igor ingrid "
    "irene isaac isabel ivan jack jackie jacob jacques jake james jamie jan jane janet jason jay jean "
    "jeff jeffrey jennifer jenny jeremy jerome jerry jesse jessica jill jim jimmy joan joanna joe joel "
    "johann johannes john johnny jon jonathan jordan jorge jose josé joseph joshua juan judith judy "
    "julia julian julie juliet karen karl kate katherine kathleen kathryn katie keith kelly ken "
    "kenneth kevin kim kirk kurt kyle larry laura lauren laurence lawrence lee leo leon leonard "
    "leonardo leslie lewis liam lillian linda lindsay lisa lloyd louis louise lucas lucy luis luke "
    "lynn madonna marc marcus margaret maria marian marie marilyn mario marion mark marshall martha "
    "martin marvin mary matt matthew maurice max megan mel melissa meryl michael michelle miguel mike "
    "mohammed molly monica morgan nancy natalie nathan neil nelson nicholas nick nicolas nicole nigel "
    "nikolai nina noah noel nora norman oliver olivia orlando oscar otto owen pablo pamela pat "
    "patricia patrick paul paula pedro peggy penelope percy peter phil philip phillip pierre rachel "
    "ralph ray raymond rebecca reggie rené ricardo richard rick ricky rob robert roberta roberto robin "
    "rod roger roland roman ron ronald rosa rose ross roy rudolf russell ruth ryan sally sam samantha "
    "samuel sandra sarah scott sean sebastian serena sergei seth shane shannon sharon shawn sheila "
    "shirley sidney sigmund simon sophia sophie spencer stan stanley stefan stella stephanie stephen "
    "steve steven stewart stuart susan suzanne sylvia ted teresa terence terry theodore theresa thomas "
    "tim timothy todd tom tommy tony tracy travis tyler ursula vanessa vera vernon veronica victor "
    "victoria vincent viola virginia vladimir wade wallace walt walter warren wayne wendy wilhelm will "
    "william willie winston woody yuri yvonne zoe"
)
COUNTRIES = _set(
    "afghanistan albania algeria america angola argentina armenia australia austria azerbaijan "
    "bangladesh belgium bolivia bosnia brazil britain bulgaria burma cambodia cameroon canada chile "
    "china colombia croatia cuba cyprus denmark ecuador egypt england estonia ethiopia finland france "
    "georgia germany ghana greece guatemala haiti hungary iceland india indonesia iran iraq ireland "
    "israel italy jamaica japan jordan kazakhstan kenya korea kuwait laos latvia lebanon libya "
    "lithuania luxembourg malaysia malta mexico mongolia morocco nepal netherlands nicaragua nigeria "
    "norway pakistan panama paraguay peru philippines poland portugal romania russia rwanda scotland "
    "senegal serbia singapore slovakia slovenia somalia spain sudan sweden switzerland syria taiwan "
    "tanzania thailand tunisia turkey uganda ukraine uruguay uzbekistan venezuela vietnam wales yemen "
    "zambia zimbabwe alabama alaska arizona arkansas california colorado connecticut delaware florida "
    "hawaii idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts "
    "michigan minnesota mississippi missouri montana nebraska nevada ohio oklahoma oregon pennsylvania "
    "tennessee texas utah vermont wisconsin wyoming ontario quebec alberta manitoba victoria "
    "queensland bavaria africa asia europe london paris berlin rome madrid vienna moscow tokyo beijing "
    "shanghai sydney melbourne toronto montreal chicago boston philadelphia houston dallas detroit "
    "seattle atlanta miami dublin glasgow edinburgh manchester liverpool birmingham mumbai delhi "
    "kolkata hollywood brooklyn manhattan"
)
PLACES = frozenset(
    "new york;new york city;los angeles;san francisco;san diego;las vegas;new orleans;st. louis;"
    "new jersey;new mexico;new hampshire;north carolina;south carolina;north dakota;south dakota;"
    "west virginia;rhode island;washington, d.c.;district of columbia;united states;united kingdom;"
    "new zealand;south africa;south korea;north korea;hong kong;sri lanka;saudi arabia;costa rica;"
    "puerto rico;dominican republic;czech republic;soviet union;nova scotia;british columbia;"
    "new south wales;northern ireland;el salvador;united states of america".split(";")
)
PLACE_ENDINGS = _set(
    "county city island islands river lake valley bay sea ocean mountains mountain district province "
    "state street avenue square coast peninsula kingdom states republic town village territory desert "
    "beach hills heights road region borough"
)
GROUP_ENDINGS = _set(
    "university college school academy institute company inc corporation corp group records label band "
    "party league association conference club team fc f.c network army force forces navy guard studios "
    "studio press entertainment pictures museum society union commission council committee agency "
    "department church bank airlines airways orchestra brewery hospital foundation organization "
    "division ltd productions channel partnership fraternity"
)
PERSON_NOUNS = _stems(
    "actor actress singer songwriter director writer author president person man woman player "
    "politician musician rapper composer producer footballer leader artist comedian novelist king "
    "queen wife husband son daughter brother sister father mother poet painter general philosopher "
    "scientist driver boxer wrestler host screenwriter coach chef journalist professor founder bassist "
    "guitarist drummer filmmaker businessman governor senator minister model dancer pilot lawyer "
    "playwright engineer historian economist physicist mathematician cyclist golfer swimmer athlete "
    "entrepreneur attorney officer judge presenter vocalist pianist conductor photographer emperor"
)
PLACE_NOUNS = _stems(
    "city county country state town village province region district place location continent island "
    "river lake suburb area neighborhood borough street capital municipality territory bay park "
    "municipality commune hamlet community township"
)
GROUP_NOUNS = _stems(
    "team band company university college school league network organization club conference party "
    "agency label publisher corporation institution association studio airline family trio duo "
    "organisation retailer manufacturer chain"
)
WORK_NOUNS = _stems(
    "film movie song album series novel book game magazine play musical opera single sitcom "
    "documentary soundtrack episode newspaper franchise comedy drama poem painting"
)
