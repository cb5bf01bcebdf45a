# Squared distances of rows to centres: see loops.h.
cdef extern from "centres/loops.h" nogil:
    enum:
        CENTRE_PAD
        CENTRE_BLOCK

    void centre_distances(
        const double* x, Py_ssize_t n, Py_ssize_t d, const double* centre, Py_ssize_t width,
        double* out)
