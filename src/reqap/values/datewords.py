"""Month names, weekday names, time zone abbreviations: tables only, others do the reading."""

from __future__ import annotations

from datetime import timedelta

from reqap.values._text import fold, word_set

# One line per language, months separated by "|", spellings by spaces.
_MONTH_NAMES = (
    # English
    "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|"
    "september sept sep|october oct|november nov|december dec",
    # German, with the Austrian January and February
    "januar jänner jaenner jan jän|februar feber feb|märz maerz mär mrz|april apr|mai|juni jun|"
    "juli jul|august aug|september sept sep|oktober okt|november nov|dezember dez",
    # French
    "janvier janv jan|février févr fév|mars|avril avr|mai|juin|juillet juill juil|août aoû|"
    "septembre sept|octobre oct|novembre nov|décembre déc",
    # Spanish
    "enero ene|febrero feb|marzo mar|abril abr|mayo may|junio jun|julio jul|agosto ago|"
    "septiembre setiembre sept sep set|octubre oct|noviembre nov|diciembre dic",
    # Portuguese
    "janeiro jan|fevereiro fev|março mar|abril abr|maio mai|junho jun|julho jul|agosto ago|"
    "setembro set|outubro out|novembro nov|dezembro dez",
    # Italian
    "gennaio gen genn|febbraio feb febbr|marzo mar|aprile apr|maggio mag magg|giugno giu|"
    "luglio lug|agosto ago|settembre set sett|ottobre ott|novembre nov|dicembre dic",
    # Dutch
    "januari jan|februari feb|maart mrt|april apr|mei|juni jun|juli jul|augustus aug|"
    "september sept sep|oktober okt|november nov|december dec",
    # Swedish
    "januari jan|februari feb febr|mars mar|april apr|maj|juni jun|juli jul|augusti aug|"
    "september sept sep|oktober okt|november nov|december dec",
    # Norwegian and Danish
    "januar jan|februar feb|mars marts mar|april apr|mai maj|juni jun|juli jul|august aug|"
    "september sept sep|oktober okt|november nov|desember december des dec",
    # Polish, nominative and genitive
    "styczeń stycznia sty|luty lutego lut|marzec marca mar|kwiecień kwietnia kwi|maj maja|"
    "czerwiec czerwca cze|lipiec lipca lip|sierpień sierpnia sie|wrzesień września wrz|"
    "październik października paź|listopad listopada lis|grudzień grudnia gru",
    # Finnish, nominative, partitive and stem
    "tammikuu tammikuuta tammi|helmikuu helmikuuta helmi|maaliskuu maaliskuuta maalis|"
    "huhtikuu huhtikuuta huhti|toukokuu toukokuuta touko|kesäkuu kesäkuuta kesä|"
    "heinäkuu heinäkuuta heinä|elokuu elokuuta elo|syyskuu syyskuuta syys|"
    "lokakuu lokakuuta loka|marraskuu marraskuuta marras|joulukuu joulukuuta joulu",
    # Turkish
    "ocak oca|şubat şub|mart mar|nisan nis|mayıs may|haziran haz|temmuz tem|ağustos ağu|"
    "eylül eyl|ekim eki|kasım kas|aralık ara",
)
MONTHS = {
    fold(name): number
    for line in _MONTH_NAMES
    for number, names in enumerate(line.split("|"), start=1)
    for name in names.split()
}
# Of questions and of texts that are read as they stand: English only.
ENGLISH_MONTHS = tuple(_MONTH_NAMES[0].replace("|", " ").split())
WEEKDAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
SHORT_WEEKDAYS = {"mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3,
                  "fri": 4, "sat": 5, "sun": 6}  # fmt: skip
COUNTS = "an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|couple of|few"

_WEEKDAY_NAMES = """
monday mon tuesday tues tue wednesday wed thursday thurs thur thu friday fri saturday sat sunday
sun montag mo dienstag di mittwoch mi donnerstag do freitag fr samstag sonnabend sa sonntag so
lundi lun mardi mar mercredi mer jeudi jeu vendredi ven samedi sam dimanche dim
lunes martes miércoles mié jueves jue viernes vie sábado sáb domingo dom
segunda feira seg terça ter quarta qua quinta qui sexta sex
lunedì martedì mercoledì giovedì gio venerdì sabato sab domenica
maandag ma dinsdag woensdag wo donderdag vrijdag vr zaterdag za zondag zo
måndag mån tisdag tis onsdag ons torsdag tors tor fredag fre lördag lör söndag sön
mandag man tirsdag tirs tir lørdag lør søndag søn
poniedziałek pon pn wtorek wto wt środa śro śr czwartek czw piątek pią pt sobota sob niedziela
niedz ndz nie
maanantai maanantaina tiistai tiistaina ti keskiviikko keskiviikkona ke torstai torstaina to
perjantai perjantaina pe lauantai lauantaina la sunnuntai sunnuntaina su
pazartesi pzt salı sal çarşamba çar perşembe per cuma cum cumartesi cmt pazar paz
"""
WEEKDAYS = frozenset(fold(name) for name in _WEEKDAY_NAMES.split())

# Words that stand around dates and carry nothing: articles, "of", "o'clock", ordinal endings.
FILLERS = word_set(
    "a alle am as at d da de del den der det di e el er g godz h hrs il kl klo l la las le les nd "
    "o of om on ore r rd re saat st ste th the uhr um"
)

# Abbreviations are not unique worldwide. CST and its neighbours follow the mail standard (North
# America), BST is British, IST is Indian: the readings with the most people behind them.
_ZONE_HOURS = {
    "z utc gmt ut wet": 0.0,
    "cet mez met west bst": 1.0,
    "cest mesz mest eet oez sast": 2.0,
    "eest oesz msk trt": 3.0,
    "ist": 5.5,
    "wib ict": 7.0,
    "sgt hkt awst": 8.0,
    "jst kst": 9.0,
    "acst": 9.5,
    "aest": 10.0,
    "acdt": 10.5,
    "aedt": 11.0,
    "nzst": 12.0,
    "nzdt": 13.0,
    "brt art adt": -3.0,
    "nst": -3.5,
    "ndt": -2.5,
    "edt ast": -4.0,
    "est cdt": -5.0,
    "cst mdt": -6.0,
    "mst pdt": -7.0,
    "pst akdt": -8.0,
    "akst": -9.0,
    "hst": -10.0,
}
ZONES = {
    name: timedelta(hours=hours) for names, hours in _ZONE_HOURS.items() for name in names.split()
}
