"""The 19 data sets of the paper's table: what each is and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paper.datasets.entry import Bundled, Download, Entry, File, OpenML

_FCPS = (
    "https://raw.githubusercontent.com/gagolews/clustering-data-v1/"
    "27ac73a6fd331fb18181419838d2e753dd1b5f80/fcps"
)
_FCPS_LICENCE = (
    "The collection that is downloaded gives its sets for research, unless stated otherwise; the R "
    "package FCPS, which has them too, is GPL-3."
)
_FCPS_CITATION = (
    "A. Ultsch, Clustering with SOM: U*C, Workshop on Self-Organizing Maps, Paris, 2005, 75-82; "
    "M. C. Thrun and A. Ultsch, Clustering benchmark datasets exploiting the fundamental "
    "clustering problems, Data in Brief 30, 2020, 105501."
)
_UCI_LICENCE = "The UCI repository, which published it, gives its sets under CC BY 4.0."
_OPENML_LICENCE = f"OpenML says that it is public. {_UCI_LICENCE}"
_SKLEARN_LICENCE = f"scikit-learn, which it comes with, is BSD-3-Clause. {_UCI_LICENCE}"


def _words(text: str) -> list[str]:
    return text.split()


def _uci(authors: str, title: str) -> str:
    return f"{authors}, {title}, UCI Machine Learning Repository."


def _fcps(
    name: str,
    title: str,
    about: str,
    d: int,
    classes: Sequence[int],
    data: str,
    labels: str,
    notes: str = "",
    relabel: Mapping[str, str] | None = None,
) -> Entry:
    return Entry(
        name=name,
        title=title,
        about=f"{about} One of the Fundamental Clustering Problems Suite.",
        features=tuple(f"x{i + 1}" for i in range(d)),
        classes={str(i + 1): n for i, n in enumerate(classes)},
        printed=(sum(classes), d, len(classes)),
        source=Download(
            (
                File(f"{_FCPS}/{name}.data.gz", data),
                File(f"{_FCPS}/{name}.labels0.gz", labels),
            ),
            reader="matrix",
            labels=relabel or {},
        ),
        origin="GitHub, gagolews/clustering-data-v1",
        licence=_FCPS_LICENCE,
        citation=_FCPS_CITATION,
        notes=notes,
    )


_ENTRIES = (
    _fcps(
        "atom",
        "Atom",
        "A ball within a hollow sphere, both centred at the origin.",
        3,
        (400, 400),
        "e1e63debc6bcdc0fc72424212fad129dee5e83d5e3bd21fc15e8d8dcc17be026",
        "322d2981d9c65eee43d8efdde94830f386135839b332b0315fae324c308af8f7",
    ),
    Entry(
        name="avila",
        title="Avila",
        about="Measures of the columns of pages of the Avila Bible, by the copyist who wrote them.",
        features=(
            "intercolumnar_distance",
            "upper_margin",
            "lower_margin",
            "exploitation",
            "row_number",
            "modular_ratio",
            "interlinear_spacing",
            "weight",
            "peak_number",
            "modular_ratio_interlinear_spacing",
        ),
        classes=dict(
            zip(
                "ABCDEFGHIWXY",
                (8572, 10, 206, 705, 2190, 3923, 893, 1039, 1663, 89, 1044, 533),
                strict=True,
            )
        ),
        printed=(20867, 10, 12),
        source=Download(
            (File("https://archive.ics.uci.edu/static/public/459/avila.zip"),),
            reader="avila",
            table_sha256="89b4becb5936acace993090d6bb81babd7bb5506fed2780d19e49af6f3f8de22",
        ),
        origin="the UCI repository; the training part, then the test part",
        licence=_UCI_LICENCE,
        citation=_uci("C. De Stefano, F. Fontanella, M. Maniaci and A. Scotto di Freca", "Avila"),
        notes=(
            "Its authors standardised it. Row 6619 looks as if it had been left as it was; it is "
            "kept, and dominates min-max scaling."
        ),
    ),
    Entry(
        name="breast_cancer",
        title="Breast cancer",
        about="Cells of breast tumours (Wisconsin, original), graded from 1 to 10.",
        features=(
            "clump_thickness",
            "cell_size_uniformity",
            "cell_shape_uniformity",
            "marginal_adhesion",
            "epithelial_cell_size",
            "bare_nuclei",
            "bland_chromatin",
            "normal_nucleoli",
            "mitoses",
        ),
        classes={"benign": 444, "malignant": 239},
        printed=(683, 9, 2),
        source=OpenML("breast-w", 1),
        origin="OpenML, breast-w",
        licence=_OPENML_LICENCE,
        citation=_uci("W. Wolberg", "Breast Cancer Wisconsin (Original)"),
        notes="16 of 699 rows miss a value and are left out.",
    ),
    Entry(
        name="car_evaluation",
        title="Car evaluation",
        about="Every combination of six properties of a car, and how acceptable it is.",
        features=("buying", "maint", "doors", "persons", "lug_boot", "safety"),
        classes={"acc": 384, "good": 69, "unacc": 1210, "vgood": 65},
        printed=(1728, 21, 4),
        source=OpenML("car", 3),
        origin="OpenML, car",
        licence=_OPENML_LICENCE,
        citation=_uci("M. Bohanec", "Car Evaluation"),
        notes="The six properties are one-hot encoded: 21 columns.",
        categorical=True,
    ),
    _fcps(
        "chainlink",
        "Chainlink",
        "Two rings that pass through each other.",
        3,
        (500, 500),
        "0aedc50b5a3925c886f05373b1c35d69dabc43c696f7d7f6fe4ce4430bb2a7fa",
        "2fd5f809acf8729df17f211ff17f81000d67a2603306111ff80434a448930a3a",
        notes=(
            "The R package FCPS has the same rows rounded to three digits, up to 0.005 away from "
            "those that are downloaded."
        ),
    ),
    Entry(
        name="congress",
        title="US Congress",
        about="Votes of members of the US House of Representatives in 1984, and their party.",
        features=(
            "handicapped_infants",
            "water_project_cost_sharing",
            "adoption_of_the_budget_resolution",
            "physician_fee_freeze",
            "el_salvador_aid",
            "religious_groups_in_schools",
            "anti_satellite_test_ban",
            "aid_to_nicaraguan_contras",
            "mx_missile",
            "immigration",
            "synfuels_corporation_cutback",
            "education_spending",
            "superfund_right_to_sue",
            "crime",
            "duty_free_exports",
            "export_administration_act_south_africa",
        ),
        classes={"democrat": 267, "republican": 168},
        printed=(435, 16, 2),
        source=OpenML("vote", 1, values={"y": "1", "n": "-1", "": "0"}),
        origin="OpenML, vote",
        licence=_OPENML_LICENCE,
        citation=_uci("J. Schlimmer", "Congressional Voting Records"),
        notes="A yes is 1, a no is -1, an unknown vote is 0.",
        value_names={-1: "no", 0: "unknown", 1: "yes"},
    ),
    Entry(
        name="digits",
        title="Digits",
        about="Handwritten digits, 8 x 8 pixels, from 0 to 16.",
        features=tuple(f"pixel_{row}_{column}" for row in range(8) for column in range(8)),
        classes=dict(
            zip("0123456789", (178, 182, 177, 183, 181, 182, 181, 179, 174, 180), strict=True)
        ),
        printed=(1797, 64, 10),
        source=Bundled("load_digits"),
        origin="scikit-learn, load_digits",
        licence=_SKLEARN_LICENCE,
        citation=_uci("E. Alpaydin and C. Kaynak", "Optical Recognition of Handwritten Digits"),
        notes="Three columns are constant.",
    ),
    _fcps(
        "engytime",
        "EngyTime",
        "Two Gaussians that overlap, one oblong and one round.",
        2,
        (2048, 2048),
        "10afcc5190414fb59a70464527716001748d6d2a71dac476e9726557ea89e455",
        "f0675de788721371bbd326b510904cfe03344e26b7b67908bc66c9908032a410",
    ),
    Entry(
        name="haberman",
        title="Haberman's survival",
        about="Patients after surgery for breast cancer, and whether they lived five years more.",
        features=("age", "operation_year", "positive_axillary_nodes"),
        classes={"1": 225, "2": 81},
        printed=(306, 3, 2),
        source=OpenML("haberman", 1),
        origin="OpenML, haberman",
        licence=_OPENML_LICENCE,
        citation=_uci("S. Haberman", "Haberman's Survival"),
        class_names={"1": "survived", "2": "died"},
    ),
    _fcps(
        "hepta",
        "Hepta",
        "Seven balls, one of them denser, at the centre of the six others.",
        3,
        (32, 30, 30, 30, 30, 30, 30),
        "dff03b2aef4fe022b353071d851f629f242d053b869c5dcec9a11f69eb42a4ae",
        "7491d9820cc355d9de304280a743b45385ebb68889cf55b7e57ce754bcfa9dc5",
    ),
    Entry(
        name="iris",
        title="Iris",
        about="Sizes in cm of the flowers of three species of iris.",
        features=("sepal_length", "sepal_width", "petal_length", "petal_width"),
        classes={"setosa": 50, "versicolor": 50, "virginica": 50},
        printed=(150, 4, 3),
        source=Bundled("load_iris"),
        origin="scikit-learn, load_iris",
        licence=_SKLEARN_LICENCE,
        citation=_uci("R. A. Fisher", "Iris"),
    ),
    Entry(
        name="lsun",
        title="Lsun",
        about=(
            "Two bars that make an L, a ball beside them and four outliers, in three dimensions. "
            "One of the Fundamental Clustering Problems Suite."
        ),
        features=("x1", "x2", "x3"),
        classes={"1": 200, "2": 100, "3": 100, "4": 4},
        printed=(404, 3, 3),
        source=Download(
            (
                File(
                    "https://raw.githubusercontent.com/Mthrun/FCPS/"
                    "c9c55f4a6162b32d9d34de8b39011a8c254dda6a/data/Lsun3D.rda",
                    "5c66e4187c123745ee1e4edc16b533c70a2fe23f7c19df1313802fbe80a18848",
                ),
            ),
            reader="rda",
        ),
        origin="GitHub, Mthrun/FCPS, Lsun3D",
        licence="GPL-3 (the R package FCPS).",
        citation=_FCPS_CITATION,
        notes=(
            "The paper's table has 3 classes, its K. The target has 4 as in the R package, where "
            "the four outliers are a class of their own: with them the paper's scores come out."
        ),
    ),
    Entry(
        name="mice_protein",
        title="Mice protein",
        about=(
            "Levels of 77 proteins in the brains of mice; the classes are genotype (c, t), "
            "behaviour (CS, SC) and treatment (m, s)."
        ),
        features=tuple(
            f"{protein}_N"
            for protein in _words(
                "DYRK1A ITSN1 BDNF NR1 NR2A pAKT pBRAF pCAMKII pCREB pELK pERK pJNK PKCA pMEK pNR1 "
                "pNR2A pNR2B pPKCAB pRSK AKT BRAF CAMKII CREB ELK ERK GSK3B JNK MEK TRKA RSK APP "
                "Bcatenin SOD1 MTOR P38 pMTOR DSCR1 AMPKA NR2B pNUMB RAPTOR TIAM1 pP70S6 NUMB "
                "P70S6 pGSK3B pPKCG CDK5 S6 ADARB1 AcetylH3K9 RRP1 BAX ARC ERBB4 nNOS Tau GFAP "
                "GluR3 GluR4 IL1B P3525 pCASP9 PSD95 SNCA Ubiquitin pGSK3B_Tyr216 SHH BAD BCL2 pS6 "
                "pCFOS SYP H3AcK18 EGR1 H3MeK4 CaNA"
            )
        ),
        classes={
            "c-CS-m": 45,
            "c-CS-s": 75,
            "c-SC-m": 60,
            "c-SC-s": 75,
            "t-CS-m": 90,
            "t-CS-s": 75,
            "t-SC-m": 60,
            "t-SC-s": 72,
        },
        printed=(552, 77, 8),
        source=OpenML("MiceProtein", 4, numbers_only=True),
        origin="OpenML, MiceProtein",
        licence=_OPENML_LICENCE,
        citation=_uci("C. Higuera, K. Gardiner and K. Cios", "Mice Protein Expression"),
        notes=(
            "528 of 1080 rows miss a value and are left out. A mouse has 12 or 15 of the rows: "
            "they are not independent."
        ),
    ),
    _fcps(
        "target",
        "Target",
        "A disc, a ring around it and four groups of three outliers.",
        2,
        (395, 363, 3, 3, 3, 3),
        "78eda32bef2252367fe0b66becda9e0b8bf58ecb907cdeb61285d4e2f7198ab8",
        "948c2c2e62a0571cc93c73537932226ea66d89b05e2b14a960bd1daba811c5a0",
        # Two groups of outliers have each other's label in the R package.
        relabel={"3": "5", "5": "3"},
    ),
    _fcps(
        "tetra",
        "Tetra",
        "Four balls that almost touch, at the corners of a tetrahedron.",
        3,
        (100, 100, 100, 100),
        "7fcea2b055a21fa88dc697d8ef1dfe47bfd4754e4411cd0ca7475add940a32a1",
        "e39e5171e0bc5f433cd9986b06c613ca4155a0efec200cbd24662be0fbd88ba6",
    ),
    _fcps(
        "twodiamonds",
        "TwoDiamonds",
        "Two squares that stand on a corner and almost touch in one.",
        2,
        (400, 400),
        "3c52270627c2fa393a32a034f03abed6051de7176142a26fab908162c7e95fda",
        "25e69f9115d39c3fa88bae1a88dcad518b77034065e7750036470d7588af6ede",
    ),
    Entry(
        name="vowel",
        title="Vowel",
        about="Spoken English vowels as ten numbers of their spectra.",
        features=tuple(f"F{i}" for i in range(10)),
        classes={str(i): 90 for i in range(11)},
        printed=(990, 10, 2),
        source=OpenML(
            "vowel",
            2,
            numbers_only=True,
            labels={
                vowel: str(i)
                for i, vowel in enumerate(_words("hid hId hEd hAd hYd had hOd hod hUd hud hed"))
            },
        ),
        origin="OpenML, vowel",
        licence=_OPENML_LICENCE,
        citation=_uci("D. Deterding, M. Niranjan and A. Robinson", "Connectionist Bench (Vowel)"),
        notes="Eleven vowels of 90 rows each; the classes are the first, hid, against the rest.",
        class_names={"0": "hid"} | {str(i): "other" for i in range(1, 11)},
    ),
    Entry(
        name="wine",
        title="Wine",
        about="Chemical analyses of wines of three cultivars.",
        features=(
            "alcohol",
            "malic_acid",
            "ash",
            "alcalinity_of_ash",
            "magnesium",
            "total_phenols",
            "flavanoids",
            "nonflavanoid_phenols",
            "proanthocyanins",
            "color_intensity",
            "hue",
            "od280_od315_of_diluted_wines",
            "proline",
        ),
        classes={"0": 59, "1": 71, "2": 48},
        printed=(178, 13, 3),
        source=Bundled("load_wine"),
        origin="scikit-learn, load_wine",
        licence=_SKLEARN_LICENCE,
        citation=_uci("S. Aeberhard and M. Forina", "Wine"),
        class_names={str(i): f"class_{i}" for i in range(3)},
    ),
    _fcps(
        "wingnut",
        "WingNut",
        "Two rectangles, side by side, whose rows grow denser towards opposite corners.",
        2,
        (508, 508),
        "27bd086466111b1b0f6b31b801875e0c11464cb5019e1cd2f554960a859bff38",
        "aa72d43d9bead2dad71d988562b9bc7c0518b7e9cfa6d39f1c4559612542eb7b",
    ),
)

REGISTRY: dict[str, Entry] = {entry.name: entry for entry in _ENTRIES}
