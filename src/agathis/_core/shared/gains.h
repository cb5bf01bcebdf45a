/* The gain arithmetic of Kauri: the only copy.
 *
 * sigma(A x B) is the sum of kernel values over A x B, |A| the weight of A.  The
 * objective is the sum over clusters of sigma(C x C) / |C|.  A set S that joins or
 * leaves a cluster C changes one term of that sum, and every move of a split is a
 * sum of these three changes:
 *
 *     arrive  (sigma(C^2) + 2 sigma(C x S) + sigma(S^2)) / (|C| + |S|) - sigma(C^2) / |C|
 *     leave   (sigma(C^2) - 2 sigma(C x S) + sigma(S^2)) / (|C| - |S|) - sigma(C^2) / |C|
 *     found    sigma(S^2) / |S|                              (S is a new cluster)
 *
 * Divisions are the callers': they come as `inv`, one over the size after the move,
 * and `share`, sigma(C^2) / |C| before it.
 */
#ifndef AGATHIS_GAINS_H
#define AGATHIS_GAINS_H

static inline double
arrive(double kernel_sum, double cross, double self, double inv, double share)
{
    return (kernel_sum + 2.0 * cross + self) * inv - share;
}

static inline double
leave(double kernel_sum, double cross, double self, double inv, double share)
{
    return arrive(kernel_sum, -cross, self, inv, share);
}

static inline double
found(double self, double inv)
{
    return self * inv;
}

#endif
