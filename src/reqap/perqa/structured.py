"""What services record of an event: streams, orders and workouts.

The keys are those of the paper's files, and beyond them all that gold queries may ask for (genres,
directors, energy, company): nothing is asked that no observation says.
"""

from reqap.perqa.canonical import Event, Property

STRUCTURED = {
    "movies": "movie_stream", "series": "tvseries_stream", "music": "music_stream",
    "purchases": "online_purchase", "workouts": "workout",
}  # fmt: skip


def structured(event: Event, country: str) -> dict[str, Property]:
    """The key-values of an observation."""
    told = event.properties
    match event.table:
        case "movies":
            return {
                "event": "movie stream", "duration": told["duration_minutes"],
                "duration_unit": "minutes", "country": country,
                "stream_end_time": event.end.isoformat(sep=" "),
                "movie_title": told["movie_title"], "stream_full_title": told["movie_title"],
                "watching_continuation": False, "genre": told["genre"],
                "director": told["director"], "release_year": told["release_year"],
            }  # fmt: skip
        case "series":
            return {
                "event": "TV series stream", "duration": told["duration_minutes"],
                "country": country, "stream_end_time": event.end.isoformat(sep=" "),
                "tvseries_title": told["series_title"],
                "season_name": f"Season {told['season']}", "episode_name": told["episode_name"],
                "episode_number": told["episode"], "tvseries_season": told["season"],
                "watching_continuation": False, "genre": told["genre"],
            }  # fmt: skip
        case "music":
            return {
                "event": "music stream", "duration": told["duration_seconds"],
                "duration_unit": "seconds", "song_name": told["song_name"],
                "song_artist": told["artists"], "genre": told["genre"],
            }  # fmt: skip
        case "purchases":
            return {
                "event": "online purchase", "order": told["order_id"],
                "product_quantity": told["quantity"], "product": told["product"],
                "category": told["category"],
                "price": f"{told['price']:.2f} {told['currency']}",
            }  # fmt: skip
    return {
        "event": "workout", "workout_type": told["workout_type"],
        "duration": told["duration_minutes"], "duration_unit": "minutes",
        "minimum_heart_rate": told["minimum_heart_rate"],
        "maximum_heart_rate": told["maximum_heart_rate"],
        "average_heart_rate": told["average_heart_rate"],
        "average_speed": told["average_speed"], "maximum_speed": told["maximum_speed"],
        "speed_unit": "km/h" if told["average_speed"] else None,
        "distance": told["distance_km"],
        "distance_unit": "kilometres" if told["distance_km"] else None,
        "energy_burned": told["calories"], "energy_unit": "kcal",
        "participants": told["participants"] or None,
    }  # fmt: skip
