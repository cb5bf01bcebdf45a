"""Methods that come to no end, or a bad one; workers import them by their name."""

import time

from agathis import Kauri


class Slow(Kauri):
    def fit(self, X, y=None):
        time.sleep(60)


class Failing(Kauri):
    def fit(self, X, y=None):
        raise RuntimeError("no tree today")
