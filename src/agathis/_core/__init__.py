"""The compiled core.

``state`` holds every array that the compiled code shares; ``partition`` cuts a leaf,
``pairs`` keeps the sums over pairs of samples, ``clusters`` moves samples from cluster to
cluster, ``splitter`` searches a leaf, ``predict`` walks rows down a tree and ``matrix``
looks over a kernel matrix. The C files beside them are the inner loops.
"""
