"""Currency codes and the signs people write for them: tables only, `money` does the reading."""

from __future__ import annotations

from reqap.values._text import fold, word_set

_ACTIVE = """
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD
CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP
GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR
KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN
MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD
SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX
USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU XBA XBB XBC XBD XCD XCG XDR XOF XPD
XPF XPT XSU XTS XUA XXX YER ZAR ZMW ZWG
"""
# No longer in force, but an export that goes back far enough still has them.
_WITHDRAWN = """
ANG ATS BEF BGN BYR CUC CYP DEM EEK ESP FIM FRF GHC GRD HRK IEP ITL LTL LVL MRO MTL NLG PTE ROL
SIT SKK SLL STD TRL VEB VEF ZMK ZWL
"""
ACTIVE_CODES = word_set(_ACTIVE)
CODES = ACTIVE_CODES | word_set(_WITHDRAWN)

_NO_MINOR = word_set("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF")
_THREE_MINOR = word_set("BHD IQD JOD KWD LYD OMR TND")
# Prices in these are whole numbers in practice, whatever the standard says, so that a lone mark
# before three digits ("Rp 150.000", "1.290 Ft") can only group.
WHOLE_IN_PRACTICE = _NO_MINOR | word_set("COP HUF IDR IRR LAK")


def minor_digits(code: str | None) -> int:
    """How many decimals an amount in *code* is written with."""
    if code is None or code in _NO_MINOR:
        return 0
    return 3 if code in _THREE_MINOR else 2


# Signs that name exactly one currency.
_SIGNS = {
    "AED": "د.إ dh dhs",
    "AFN": "؋",
    "AMD": "֏",
    "ARS": "AR$",
    "AUD": "A$ AU$ $AU",
    "AZN": "₼",
    "BAM": "KM",
    "BDT": "৳ tk",
    "BGN": "лв лв. lv",
    "BOB": "Bs Bs.",
    "BRL": "R$ reais",
    "CAD": "CA$ C$ $CA Can$",
    "CHF": "Fr Fr. SFr SFr. franken",
    "CLP": "CL$ CLP$",
    "CNY": "CN¥ RMB 元 yuan",
    "COP": "COL$ CO$",
    "CRC": "₡",
    "CZK": "Kč Kc",
    "DEM": "DM",
    "EGP": "E£ EGP£",
    "EUR": "€ euro euros",
    "GBP": "UK£",
    "GEL": "₾",
    "GHS": "₵ GH₵ GHS₵",
    "HKD": "HK$",
    "HRK": "kn",
    "HUF": "Ft",
    "IDR": "Rp Rp. rupiah",
    "ILS": "₪ NIS",
    "INR": "₹",
    "JMD": "J$",
    "JPY": "JP¥ 円 yen",
    "KES": "KSh KSh. KES/ Ksh/",
    "KHR": "៛",
    "KRW": "₩ 원 won",
    "KZT": "₸",
    "LAK": "₭",
    "MNT": "₮",
    "MXN": "MX$ Mex$",
    "MYR": "RM",
    "NGN": "₦",
    "NZD": "NZ$ $NZ",
    "PEN": "S/ S/.",
    "PHP": "₱",
    "PLN": "zł zl",
    "PYG": "₲",
    "RON": "lei leu",
    "RSD": "din din. дин дин.",
    "RUB": "₽ руб руб. р. rub.",
    "SGD": "S$ SG$",
    "THB": "฿ baht",
    "TRY": "₺ TL",
    "TTD": "TT$",
    "TWD": "NT$",
    "TZS": "TSh",
    "UAH": "₴ грн грн.",
    "UGX": "USh",
    "USD": "US$ $US U$S U.S.$",
    "VND": "₫ đ",
    "XAF": "FCFA",
    "XCD": "EC$",
    "ZAR": "R",
}
SIGNS = {fold(sign): code for code, signs in _SIGNS.items() for sign in signs.split()}

_DOLLARS = (
    "USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP UYU DOP CUP BBD BMD BND BSD BZD FJD GYD JMD KYD "
    "LRD NAD SBD SRD TTD XCD ZWL"
)
# Signs that several currencies share: the default reading, then everything a hint may choose.
# The default is None where no reading is the likely one.
_SHARED = {
    "$ dollar dollars": ("USD", _DOLLARS),
    "¥ ￥": ("JPY", "JPY CNY"),
    "£ pound pounds": ("GBP", "GBP EGP FKP GIP LBP SDG SHP SSP SYP"),
    "kr kr. kronor kroner": (None, "SEK NOK DKK ISK"),
    "rs rs. ₨ rupees": (None, "INR PKR LKR NPR MUR SCR"),
    "﷼": (None, "IRR OMR QAR SAR YER"),
}
SHARED_SIGNS = {
    fold(sign): (default, word_set(codes))
    for signs, (default, codes) in _SHARED.items()
    for sign in signs.split()
}
