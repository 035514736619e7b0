"""What the world knows and texts leave out: which cuisine a dish belongs to, which country a place.

Small models know a few dishes and places; lists know thousands. Not the job of this package:
deciding what was asked for (`extract`), or what is found (`retrieve`); both take what is implied
here as a hint and decide themselves.
"""

from reqap.gazetteer.countries import Place, common_countries, country_of, places
from reqap.gazetteer.food import Hint, hints

# Changes with the lists, and with how phrases are found.
VERSION = 2

__all__ = ["VERSION", "Hint", "Place", "common_countries", "country_of", "hints", "places"]
