// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <stdlib.h>
#include <string.h>

enum {
  /// A cost of 1 in whole numbers.
  UNIT = 1024,
};

/// A flow through regions, both directions of a border beside each other: the other one of arc k is k ^ 1.
struct Flow {
  int32_t nodes;
  /// The arcs of node n are listed from `first[n]` on.
  int32_t *first, *listed;
  int32_t *to, *left;
  /// Above 0 what the source has left for a node, below 0 what the sink takes of it.
  int32_t *terminal;
  int32_t *level, *next, *queue, *path;
};

static int32_t whole(float cost) {
  const float most = 1 << 20;
  return (int32_t)((cost > most ? most : cost < -most ? -most : cost) * UNIT);
}

/// Which nodes what the source has left reaches, and in how many steps. Returns whether it reaches the sink.
static int32_t reach(struct Flow *flow) {
  int32_t count = 0, isOpen = 0;
  for (int32_t n = 0; n < flow->nodes; n++) {
    flow->level[n] = flow->terminal[n] > 0 ? 0 : -1;
    flow->next[n] = flow->first[n];
    if (flow->level[n] == 0) flow->queue[count++] = n;
  }
  for (int32_t at = 0; at < count; at++) {
    const int32_t n = flow->queue[at];
    if (flow->terminal[n] < 0) isOpen = 1;
    for (int32_t a = flow->first[n]; a < flow->first[n + 1]; a++) {
      const int32_t arc = flow->listed[a], other = flow->to[arc];
      if (flow->left[arc] == 0 || flow->level[other] >= 0) continue;
      flow->level[other] = flow->level[n] + 1;
      flow->queue[count++] = other;
    }
  }
  return isOpen;
}

/// Sends what one node has along shortest ways to the sink, as long as there are some.
static void send(struct Flow *flow, int32_t source) {
  int32_t length = 0, node = source;
  while (flow->terminal[source] > 0) {
    if (flow->terminal[node] < 0) {
      int32_t most = flow->terminal[source];
      most = -flow->terminal[node] < most ? -flow->terminal[node] : most;
      for (int32_t k = 0; k < length; k++)
        most = flow->left[flow->path[k]] < most ? flow->left[flow->path[k]] : most;
      flow->terminal[source] -= most;
      flow->terminal[node] += most;
      for (int32_t k = 0; k < length; k++) {
        flow->left[flow->path[k]] -= most;
        flow->left[flow->path[k] ^ 1] += most;
      }
      length = 0;
      node = source;
      continue;
    }
    int32_t *next = flow->next + node;
    while (*next < flow->first[node + 1]) {
      const int32_t arc = flow->listed[*next];
      if (flow->left[arc] > 0 && flow->level[flow->to[arc]] == flow->level[node] + 1) break;
      ++*next;
    }
    if (*next < flow->first[node + 1]) {
      flow->path[length] = flow->listed[*next];
      node = flow->to[flow->path[length++]];
    } else if (length == 0) {
      return;
    } else {
      // Nothing leads on from here.
      flow->level[node] = -1;
      node = flow->to[flow->path[--length] ^ 1];
    }
  }
}

static int32_t prepare(struct Flow *flow, int32_t nodes, int32_t borders, const int32_t *ends) {
  flow->nodes = nodes;
  flow->first = calloc(6 * (size_t)nodes + 1 + 6 * (size_t)borders, sizeof *flow->first);
  if (flow->first == NULL) return 1;
  flow->terminal = flow->first + nodes + 1;
  flow->level = flow->terminal + nodes;
  flow->next = flow->level + nodes;
  flow->queue = flow->next + nodes;
  flow->path = flow->queue + nodes;
  flow->listed = flow->path + nodes;
  flow->to = flow->listed + 2 * (size_t)borders;
  flow->left = flow->to + 2 * (size_t)borders;
  for (int32_t k = 0; k < 2 * borders; k++) flow->first[ends[k] + 1]++;
  for (int32_t n = 0; n < nodes; n++) flow->first[n + 1] += flow->first[n];
  memcpy(flow->next, flow->first, (size_t)nodes * sizeof *flow->next);
  for (int32_t k = 0; k < 2 * borders; k++) {
    flow->to[k] = ends[k ^ 1];
    flow->listed[flow->next[ends[k]]++] = k;
  }
  return 0;
}

/// Of the nodes on the source's side, those that hang together with the seed.
static void keep(const struct Flow *flow, int32_t seed, uint8_t *labels) {
  int32_t count = 0;
  memset(labels, 0, (size_t)flow->nodes);
  labels[seed] = 1;
  flow->queue[count++] = seed;
  for (int32_t at = 0; at < count; at++) {
    const int32_t n = flow->queue[at];
    for (int32_t a = flow->first[n]; a < flow->first[n + 1]; a++) {
      const int32_t other = flow->to[flow->listed[a]];
      if (labels[other] || flow->level[other] < 0) continue;
      labels[other] = 1;
      flow->queue[count++] = other;
    }
  }
}

int32_t focal_region_cuts(int32_t nodes, int32_t borders, const int32_t *ends, const float *price,
                          const float *cost, const float *growth, int32_t cuts, int32_t seed,
                          uint8_t *labels) {
  struct Flow flow;
  if (prepare(&flow, nodes, borders, ends)) return 1;
  for (int32_t k = 0; k < 2 * borders; k++) flow.left[k] = whole(price[k / 2]);
  for (int32_t n = 0; n < nodes; n++) flow.terminal[n] = whole(cost[n]);
  flow.terminal[seed] = whole(1e6f);
  // What one cut let through stays: only what the next one adds is sent.
  for (int32_t cut = 0; cut < cuts; cut++) {
    for (int32_t n = 0; n < nodes && cut > 0; n++)
      if (n != seed) flow.terminal[n] += whole(growth[n]);
    while (reach(&flow))
      for (int32_t n = 0; n < nodes; n++)
        if (flow.terminal[n] > 0) send(&flow, n);
    keep(&flow, seed, labels + (size_t)cut * (size_t)nodes);
  }
  free(flow.first);
  return 0;
}
