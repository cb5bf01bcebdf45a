# The gain arithmetic, for Cython. gains.h is the only copy and says what each is.
cdef extern from "shared/gains.h" nogil:
    double arrive(double kernel_sum, double cross, double self, double inv, double share)
    double leave(double kernel_sum, double cross, double self, double inv, double share)
    double found(double self, double inv)
