// The part of the GAP Benchmark Suite's interface that src/warpath_study/peers/gapbs.cpp uses, with a plain solver behind it.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

typedef int32_t NodeID;
typedef int32_t WeightT;

struct WNode {
  NodeID v;
  WeightT w;
  WNode() {}
  WNode(NodeID v, WeightT w) : v(v), w(w) {}
};

template <typename T> using pvector = std::vector<T>;

class WGraph {
 public:
  WGraph(int64_t vertices, WNode **index, WNode *neighbours, WNode **, WNode *)
      : vertices_(vertices), index_(index), neighbours_(neighbours) {}
  WGraph(WGraph &&other)
      : vertices_(other.vertices_), index_(other.index_), neighbours_(other.neighbours_) {
    other.index_ = nullptr;
    other.neighbours_ = nullptr;
  }
  ~WGraph() {
    delete[] index_;
    delete[] neighbours_;
  }
  int64_t vertices_;
  WNode **index_;
  WNode *neighbours_;
};

const WeightT kDistInf = std::numeric_limits<WeightT>::max() / 2;

pvector<WeightT> DeltaStep(const WGraph &g, NodeID source, WeightT, bool = false) {
  pvector<WeightT> dist(g.vertices_, kDistInf);
  dist[source] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (NodeID u = 0; u < g.vertices_; u++)
      for (WNode *n = g.index_[u]; n < g.index_[u + 1]; n++)
        if (dist[u] != kDistInf && dist[u] + n->w < dist[n->v]) {
          dist[n->v] = dist[u] + n->w;
          changed = true;
        }
  }
  return dist;
}

int main() { return 0; }
