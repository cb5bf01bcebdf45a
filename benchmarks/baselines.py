"""Cases of the other trees: those that follow centres beside the KMeans they start from, and ICOT.

A tree that follows centres is given them, so that its own time is measured; what is checked and
counted around it is included. The bar is the KMeans that it runs itself by default, with ten
starts.
"""

from case import Result
from data import raw_blobs
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from timing import alternate, in_words, medians

from agathis.baselines import ICOT, IMM, ExKMC, ExShallow


def imm(run):
    return beside_its_kmeans(run, IMM(10), "IMM")


def exkmc(run):
    return beside_its_kmeans(run, ExKMC(10, max_leaf_nodes=40), "ExKMC, 40 leaves")


def exshallow(run):
    return beside_its_kmeans(run, ExShallow(10), "ExShallow")


def beside_its_kmeans(run, model, name):
    n = run.size(100_000, 10_000)
    X = raw_blobs(n, 20)
    starts = {f"n_init={m}": KMeans(10, n_init=m, random_state=0) for m in (10, 1)}
    model.set_params(centers=starts["n_init=10"].fit(X))
    runs = {"tree": lambda: model.fit(X)} | {
        f"KMeans, {words}": lambda kmeans=kmeans: kmeans.fit(X) for words, kmeans in starts.items()
    }
    seconds, _ = alternate(runs, run.repeats, run.tell)
    median = medians(seconds)
    ratio, ratio_one = (median["tree"] / median[f"KMeans, {words}"] for words in starts)
    score = model.inertia_ / starts["n_init=10"].inertia_
    return Result(
        work=f"{name}, centres given, n = {n:,}, d = 20, K = 10",
        figure=f"{ratio:.2f} times KMeans(10, n_init=10), {ratio_one:.2f} times n_init=1; "
        f"relative score {score:.3f}",
        bar="less than 1 (n_init=10)",
        met=ratio < 1,
        seconds=seconds,
        figures={"ratio": ratio, "ratio_one_start": ratio_one, "relative_score": score},
    )


def icot_iris(run):
    return icot(run, load_iris().data, 3, "iris", bar=5)


def icot_1000(run):
    n = run.size(1000, 200)
    return icot(run, raw_blobs(n, 10), 10, f"n = {n}, d = 10", bar=60)


def icot(run, X, n_clusters, words, bar):
    restarts = run.size(20, 4)
    model = ICOT(n_clusters, n_init=restarts, max_depth=5, random_state=0)
    seconds, _ = alternate({"agathis": lambda: model.fit(X)}, run.repeats, run.tell)
    median = medians(seconds)["agathis"]
    return Result(
        work=f"ICOT, {words}, K = {n_clusters}, {restarts} restarts, depth 5",
        figure=f"{in_words(median)}; silhouette {model.criterion_value_:.3f}, "
        f"{model.n_leaves_} leaves",
        bar=f"under {bar} s",
        met=median < bar,
        seconds=seconds,
        figures={"silhouette": model.criterion_value_, "leaves": int(model.n_leaves_)},
    )


BASELINES = {
    "imm": imm,
    "exkmc": exkmc,
    "exshallow": exshallow,
    "icot-iris": icot_iris,
    "icot-1000": icot_1000,
}
