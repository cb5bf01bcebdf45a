"""Names of months and weekdays in several languages. It is light to import."""

from __future__ import annotations

WORDS = {
    "weekday": ("mon tue wed thu fri sat sun", "monday tuesday wednesday thursday friday saturday "
                "sunday", "montag dienstag mittwoch donnerstag freitag samstag sonntag",
                "lundi mardi mercredi jeudi vendredi samedi dimanche",
                "lunes martes miércoles jueves viernes sábado domingo"),
    "month": ("jan feb mar apr may jun jul aug sep oct nov dec",
              "january february march april may june july august september october november "
              "december",
              "januar februar märz april mai juni juli august september oktober november dezember",
              "janvier février mars avril mai juin juillet août septembre octobre novembre "
              "décembre",
              "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
              "diciembre"),
}  # fmt: skip
#: Other abbreviations.
SHORT = {"tues": "tue", "wednes": "wed", "thur": "thu", "thurs": "thu", "sept": "sep"}


def numbers_of_names(part: str) -> dict[str, int]:
    """Map the names of months or weekdays to their numbers; January and Monday are 1."""
    numbers = {name: i for names in WORDS[part] for i, name in enumerate(names.split(), 1)}
    return numbers | {long: numbers[short] for long, short in SHORT.items() if short in numbers}
