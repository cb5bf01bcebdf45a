"""Ordered answers: scales of surveys, sizes, grades, levels of education, and bands of numbers.

A column is ordered if all its values are on one scale of the table below, or all are bands of
numbers such as 18-25 and 66+. A scale is a row of the table: its levels from low to high, with
``|`` between words for one level.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from agathis._columns.spellings import squeezed

#: With fewer levels a scale is a category of two values, and letters may stand for anything.
FEWEST = 3
SCALES = tuple(
    tuple(tuple(level.split("|")) for level in scale.split("; "))
    for scale in (
        # Agreement
        "strongly disagree|disagree strongly|completely disagree|totally disagree|fully disagree; "
        "disagree|mostly disagree|moderately disagree; "
        "somewhat disagree|slightly disagree|rather disagree|tend to disagree|disagree somewhat|"
        "disagree a little; "
        "neutral|neither|neither agree nor disagree|neither disagree nor agree|undecided|unsure; "
        "somewhat agree|slightly agree|rather agree|tend to agree|agree somewhat|agree a little; "
        "agree|mostly agree|moderately agree; "
        "strongly agree|agree strongly|completely agree|totally agree|fully agree",
        "trifft gar nicht zu|trifft überhaupt nicht zu|trifft nicht zu; "
        "trifft eher nicht zu|trifft wenig zu; "
        "teils/teils|teils teils|teils, teils|teils-teils|weder noch|neutral; "
        "trifft eher zu|trifft teilweise zu|trifft ziemlich zu; trifft zu; "
        "trifft voll zu|trifft völlig zu|trifft voll und ganz zu|trifft sehr zu",
        "stimme gar nicht zu|stimme überhaupt nicht zu|lehne stark ab; stimme nicht zu|lehne ab; "
        "stimme eher nicht zu; teils/teils|teils teils|weder noch|neutral|unentschieden; "
        "stimme eher zu; stimme zu; stimme voll zu|stimme völlig zu|stimme voll und ganz zu|"
        "stimme stark zu",
        "pas du tout d'accord|tout à fait en désaccord; pas d'accord|en désaccord; "
        "plutôt pas d'accord|plutôt en désaccord; neutre|ni d'accord ni pas d'accord|sans opinion; "
        "plutôt d'accord; d'accord; tout à fait d'accord",
        # Satisfaction and quality
        "very dissatisfied|very unsatisfied|completely dissatisfied; dissatisfied|unsatisfied; "
        "somewhat dissatisfied|rather dissatisfied; neutral|neither|"
        "neither satisfied nor dissatisfied; somewhat satisfied|rather satisfied; satisfied; "
        "very satisfied|completely satisfied",
        "sehr unzufrieden; unzufrieden; eher unzufrieden; neutral|teils/teils|weder noch; "
        "eher zufrieden; zufrieden; sehr zufrieden",
        "très insatisfait|pas du tout satisfait; insatisfait|pas satisfait; "
        "plutôt insatisfait|peu satisfait; neutre; plutôt satisfait|assez satisfait; satisfait; "
        "très satisfait",
        "terrible|very bad|very poor|awful; bad|poor; fair|ok|okay|average|medium|moderate; good; "
        "very good; excellent|premium|great; ideal|outstanding|exceptional",
        "poor; below average; average; above average; good; excellent",
        "sehr schlecht|ungenügend; schlecht|mangelhaft; ausreichend; "
        "mittel|mittelmäßig|befriedigend; gut; sehr gut; ausgezeichnet",
        "très mauvais; mauvais; passable|moyen; assez bien; bon|bien; très bon|très bien; "
        "excellent",
        # Frequency and importance
        "never; almost never|hardly ever; rarely|seldom; occasionally; "
        "sometimes; fairly often; often|frequently; usually|most of time|most of the time; "
        "very often; almost always; always",
        "nie|niemals; sehr selten; selten; manchmal|gelegentlich; häufig|oft; meistens|sehr oft; "
        "immer",
        "jamais; rarement; parfois|quelquefois; souvent; très souvent; toujours",
        "never; yearly|annually; quarterly; monthly; weekly; daily; hourly",
        "not|not at all|not at all important; notvery|not very|not very important|slightly|"
        "a little|slightly important; somewhat|moderately|somewhat important|moderately important; "
        "very|quite a bit|a lot|very important|important; extremely|extremely important",
        "unwichtig|gar nicht wichtig; eher unwichtig; neutral|teils/teils; eher wichtig; wichtig; "
        "sehr wichtig",
        "very unlikely|highly unlikely; unlikely; neutral|possible; likely; "
        "very likely|highly likely; certain",
        "too little; about right; too much",
        # Levels
        "none|no|nil; trace; very low|lowest|negligible; low|lo|minor|mild; "
        "below average; medium|med|mid|middle|moderate|average|normal; "
        "above average; high|hi|major|severe; very high|highest; critical|extreme",
        "keine|kein; sehr niedrig|sehr gering; niedrig|gering; mittel|mäßig|normal; hoch; "
        "sehr hoch",
        "très faible|très bas; faible|bas; moyen|modéré; élevé|haut|fort; très élevé|très fort",
        "small; medium|mid; large|big; very large|extra large|huge",
        "sehr klein; klein; mittel|mittelgroß; groß; sehr groß",
        "easy; medium|moderate|normal; hard|difficult; very hard|very difficult|expert",
        "cold; cool; mild; warm; hot",
        "beginner|novice; elementary; intermediate; advanced; expert|master",
        "bronze; silver; gold; platinum; diamond",
        "trainee|intern; junior; mid|intermediate|regular; senior; lead|principal|staff; "
        "manager|head; director; vp|vice president; executive",
        "assistant professor|assistant prof|asst prof|asstprof|teaching; "
        "assocprof|associate professor|associate prof|tenure track; "
        "prof|full professor|professor|tenured",
        "first|1st; second|2nd; third|3rd; fourth|4th; fifth|5th; sixth|6th",
        "xxxs; xxs; xs|extra small; s; m; l; xl|extra large; xxl|2xl; xxxl|3xl; 4xl; 5xl",
        # Education
        "none|no education|no qualification|no formal education|illiterate; "
        "preschool|kindergarten; primary|elementary|basic|primary school|elementary school; "
        "middle school|lower secondary; lesshs|less than high school|some high school|less than hs;"
        " secondary|high school|hs|highschool|secondary school|upper secondary|high school grad|"
        "high school graduate|hs-grad|gcse|gcse/cse|gcse/o level; "
        "vocational|a levels|onc/btec|trade school; college; "
        "someps|somecollege|some college|some-college|undergraduate; "
        "associate|associates|associate degree|assoc|higher/sub degree; "
        "bachelor|bachelors|bachelor's|bachelor degree|bachelor's degree|university|"
        "university degree|graduate|degree|tertiary; "
        "postgraduate|master|masters|master's|master degree|master's degree|higher|advanced degree;"
        " phd|doctorate|doctor|doctoral",
        "ohne abschluss|kein abschluss; hauptschule|hauptschulabschluss|volksschule; "
        "realschule|mittlere reife|realschulabschluss; fachabitur|fachhochschulreife; "
        "abitur|hochschulreife|gymnasium; ausbildung|lehre|berufsausbildung; meister; "
        "bachelor; master|diplom|hochschule|universität; promotion|doktor",
    )
)  # fmt: skip
#: Letters are grades only in a column of such a name.
LETTERS = ("a+", "a", "a-", "b+", "b", "b-", "c+", "c", "c-", "d+", "d", "d-", "e", "f", "g")
GRADE_NAME = re.compile(r"(?i)(.*[^a-z])?(grade|grades|mark|note|rating|class of energy|letter)")
#: What comes after a number at which a band begins: a number alone.
POINT = 0.25
GRADES = "its values are grades"
_AMOUNT = r"[€$£]?\s*(\d[\d., ]*?)\s*[€$£%]?\s*(?:k|years?|yrs?|jahre|ans|h|hours?)?\.?"
_LEVEL = r"(?:\d+[_.)] ?)?"
_BANDS = (
    (re.compile(rf"{_LEVEL}{_AMOUNT}\s*(?:-|\u2013|to|bis|à|until)\s*{_AMOUNT}",
                re.IGNORECASE), 0.0),
    (re.compile(rf"(?:under|below|less than|up to|unter|bis|moins de|<=?|≤)\s*{_AMOUNT}",
                re.IGNORECASE), -1.0),
    (re.compile(rf"(?:over|above|more than|from|at least|über|ab|mehr als|plus de|>=?|≥)\s*"
                rf"{_AMOUNT}", re.IGNORECASE), 0.5),
    (re.compile(rf"{_LEVEL}{_AMOUNT}\s*(?:\+|and more|or more|and over|or older|and older|and "
                rf"above|und mehr|und älter|oder mehr|et plus)", re.IGNORECASE), 0.5),
    (re.compile(_AMOUNT, re.IGNORECASE), POINT),
)  # fmt: skip
_NUMBERED = re.compile(r"(\d+)(?:[_):] *| *[-\u2013=] *(?=\D)|\. *(?=\D)).*\D.*")
#: Levels that are named by a word for them and a number.
_STEP = re.compile(
    r"(?:level|lvl|stage|grade|tier|phase|step|stufe|priority|prio|quartile|quintile|decile)"
    r"[ _-]?(\d{1,2})|(\d{1,2})[ -]?(?:stars?|sterne?)"
)


def key_of(label: str) -> str:
    """Return the form in which labels are compared: without more blanks, in lower case."""
    return squeezed(label).lower()


def ordered_levels(name: str, values: Collection[str]) -> tuple[tuple[str, ...], str] | None:
    """Return the levels of a column from low to high, and what they are, if they have an order.

    Examples
    --------
    >>> ordered_levels("risk", ["high", "Low", "medium"])
    (('Low', 'medium', 'high'), 'its values are levels of a known scale')
    >>> ordered_levels("age", ["66+", "18-25", "26-35"])[0]
    ('18-25', '26-35', '66+')
    >>> ordered_levels("x", ["Level 3", "Level 1", "Level 2"])[0]
    ('Level 1', 'Level 2', 'Level 3')
    >>> ordered_levels("x", ["3 = good", "2", "1 = bad"])[0]
    ('1 = bad', '2', '3 = good')
    >>> ordered_levels("size", ["XL", "M", "S"])[0], ordered_levels("sex", ["m", "f"])
    (('S', 'M', 'XL'), None)
    """
    labels = {key_of(value): value for value in values}
    if not FEWEST <= len(labels) == len(values):
        return None
    for scale in SCALES:
        ranks = {key_of(word): rank for rank, level in enumerate(scale) for word in level}
        if labels.keys() <= ranks.keys() and len({ranks[one] for one in labels}) == len(labels):
            return _sorted(labels, ranks), "its values are levels of a known scale"
    if GRADE_NAME.fullmatch(name):
        if labels.keys() <= set(LETTERS):
            return _sorted(labels, {one: -i for i, one in enumerate(LETTERS)}), GRADES
        if all(re.fullmatch(r"[a-h]\d", one) for one in labels):
            best_last = {one: i for i, one in enumerate(sorted(labels, reverse=True))}
            return _sorted(labels, best_last), GRADES
    bands = {one: band for one in labels if (band := _band(one)) is not None}
    # Of plain numbers there may be one, such as "0" beside "1-2" and "3-5".
    n_wide = sum(side != POINT for _, side in bands.values())
    if len(bands) == len(labels) == len(set(bands.values())) and n_wide >= FEWEST - 1:
        return _sorted(labels, bands), "its values are bands of numbers"
    numbered = {one: int(match[1]) for one in labels if (match := _NUMBERED.fullmatch(one))}
    if len(numbered) > 1:  # of a scale whose ends alone are named
        numbered |= {one: int(one) for one in labels if one.isdecimal()}
    numbered = numbered or {
        one: int(match[1] or match[2]) for one in labels if (match := _STEP.fullmatch(one))
    }
    if len(numbered) == len(labels) == len(set(numbered.values())) and max(numbered.values()) < 20:
        return _sorted(labels, numbered), "its values are numbered"
    return None


def _sorted(labels: dict[str, str], ranks: dict) -> tuple[str, ...]:
    return tuple(labels[one] for one in sorted(labels, key=lambda one: ranks[one]))


def _band(label: str) -> tuple[float, float] | None:
    """Return the beginning of a band, and what comes after it at the same number."""
    for pattern, side in _BANDS:
        match = pattern.fullmatch(label)
        if match:
            ends = [number for cell in match.groups() if (number := _number(cell)) is not None]
            if len(ends) < len(match.groups()) or ends != sorted(set(ends)):
                return None
            # "10 to 24" begins where "under 10" ends.
            return ends[0], side
    return None


def _number(cell: str) -> float | None:
    digits = re.sub(r"[., ](?=\d{3}(?!\d))", "", cell.strip()).replace(",", ".")
    try:
        return float(digits)
    except ValueError:
        return None


def rank_numbers(labels: Sequence[str]) -> dict[str, float]:
    """Map the compared form of each level to its rank, from 1."""
    return {key_of(label): float(rank) for rank, label in enumerate(labels, 1)}
