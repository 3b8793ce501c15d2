// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <ShaderTypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  /// Where a node's parent is: one of eight directions, or none of them.
  TERMINAL = 8,
  ORPHAN = 9,
  NONE = 10,
  /// Trees.
  FREE = 0,
  SOURCE = 1,
  SINK = 2,
  OUTSIDE = 3,
  /// A cost of 1 in whole numbers: capacities are exact, whatever the order of the paths.
  UNIT = 1024,
};

/// To the right, down right, down, down left; then their opposites.
static const int32_t stepX[8] = {1, 1, 0, -1, -1, -1, 0, 1};
static const int32_t stepY[8] = {0, 1, 1, 1, 0, -1, -1, -1};

/// Two search trees that grow towards each other.
struct Cut {
  int32_t step[8];
  /// Left over of each node's eight edges, and of the one to a terminal: above 0 from the source, below 0 to the sink.
  int32_t *edge, *terminal;
  uint8_t *tree, *parent;
  int32_t *distance, *stamp;
  /// A circle of nodes whose neighbours are to be looked at; a node is in it once.
  int32_t *queue, head, count, room;
  uint8_t *isQueued;
  int32_t *orphans, orphanCount, orphanRoom, clock;
};

static int32_t residual(const struct Cut *cut, int32_t from, int32_t direction) {
  return cut->edge[(size_t)from * 8 + direction];
}

static void enqueue(struct Cut *cut, int32_t node) {
  if (cut->isQueued[node]) return;
  cut->isQueued[node] = 1;
  int32_t at = cut->head + cut->count++;
  if (at >= cut->room) at -= cut->room;
  cut->queue[at] = node;
}

static int makeOrphan(struct Cut *cut, int32_t node) {
  cut->parent[node] = ORPHAN;
  if (cut->orphanCount == cut->orphanRoom) {
    const int32_t room = cut->orphanRoom * 2;
    int32_t *orphans = realloc(cut->orphans, (size_t)room * sizeof *orphans);
    if (orphans == NULL) return 1;
    cut->orphans = orphans;
    cut->orphanRoom = room;
  }
  cut->orphans[cut->orphanCount++] = node;
  return 0;
}

/// Pushes what a path holds from the source's tree over the edge to the sink's. Returns 1 if memory is refused.
static int augment(struct Cut *cut, int32_t from, int32_t direction) {
  const int32_t to = from + cut->step[direction];
  int32_t least = residual(cut, from, direction), node;
  for (node = from; cut->parent[node] != TERMINAL; node += cut->step[cut->parent[node]]) {
    const int32_t p = cut->parent[node], up = node + cut->step[p];
    const int32_t left = residual(cut, up, p ^ 4);
    least = left < least ? left : least;
  }
  least = cut->terminal[node] < least ? cut->terminal[node] : least;
  for (node = to; cut->parent[node] != TERMINAL; node += cut->step[cut->parent[node]]) {
    const int32_t left = residual(cut, node, cut->parent[node]);
    least = left < least ? left : least;
  }
  least = -cut->terminal[node] < least ? -cut->terminal[node] : least;

  int failed = 0;
  cut->edge[(size_t)from * 8 + direction] -= least;
  cut->edge[(size_t)to * 8 + (direction ^ 4)] += least;
  for (node = from; cut->parent[node] != TERMINAL;) {
    const int32_t p = cut->parent[node], up = node + cut->step[p];
    cut->edge[(size_t)up * 8 + (p ^ 4)] -= least;
    cut->edge[(size_t)node * 8 + p] += least;
    if (cut->edge[(size_t)up * 8 + (p ^ 4)] == 0) failed |= makeOrphan(cut, node);
    node = up;
  }
  cut->terminal[node] -= least;
  if (cut->terminal[node] == 0) failed |= makeOrphan(cut, node);
  for (node = to; cut->parent[node] != TERMINAL;) {
    const int32_t p = cut->parent[node], up = node + cut->step[p];
    cut->edge[(size_t)node * 8 + p] -= least;
    cut->edge[(size_t)up * 8 + (p ^ 4)] += least;
    if (cut->edge[(size_t)node * 8 + p] == 0) failed |= makeOrphan(cut, node);
    node = up;
  }
  cut->terminal[node] += least;
  if (cut->terminal[node] == 0) failed |= makeOrphan(cut, node);
  return failed;
}

/// How far a node is from its terminal; below 0 if an orphan is on the way.
static int32_t depth(struct Cut *cut, int32_t start) {
  int32_t count = 0, node = start;
  for (;;) {
    if (cut->stamp[node] == cut->clock) {
      count += cut->distance[node];
      break;
    }
    if (cut->parent[node] == TERMINAL) {
      cut->stamp[node] = cut->clock;
      cut->distance[node] = 1;
      count += 1;
      break;
    }
    if (cut->parent[node] >= ORPHAN) return -1;
    node += cut->step[cut->parent[node]];
    count++;
  }
  int32_t left = count;
  for (node = start; cut->stamp[node] != cut->clock; node += cut->step[cut->parent[node]]) {
    cut->stamp[node] = cut->clock;
    cut->distance[node] = left--;
  }
  return count;
}

/// Finds new parents for nodes that lost theirs, or lets them go.
static int adopt(struct Cut *cut) {
  int failed = 0;
  for (int32_t next = 0; next < cut->orphanCount && !failed; next++) {
    const int32_t node = cut->orphans[next];
    const uint8_t tree = cut->tree[node];
    int32_t best = NONE, nearest = INT32_MAX;
    for (int32_t d = 0; d < 8; d++) {
      const int32_t other = node + cut->step[d];
      if (cut->tree[other] != tree) continue;
      const int32_t left = tree == SOURCE ? residual(cut, other, d ^ 4) : residual(cut, node, d);
      if (left == 0) continue;
      const int32_t away = depth(cut, other);
      if (away >= 0 && away < nearest) {
        nearest = away;
        best = d;
      }
    }
    cut->parent[node] = (uint8_t)best;
    if (best != NONE) {
      cut->stamp[node] = cut->clock;
      cut->distance[node] = nearest + 1;
      continue;
    }
    cut->tree[node] = FREE;
    for (int32_t d = 0; d < 8; d++) {
      const int32_t other = node + cut->step[d];
      if (cut->tree[other] != tree) continue;
      const int32_t left = tree == SOURCE ? residual(cut, other, d ^ 4) : residual(cut, node, d);
      if (left > 0) enqueue(cut, other);
      if (cut->parent[other] == (d ^ 4)) failed |= makeOrphan(cut, other);
    }
  }
  cut->orphanCount = 0;
  return failed;
}

static int grow(struct Cut *cut) {
  while (cut->count > 0) {
    const int32_t node = cut->queue[cut->head];
    if (++cut->head == cut->room) cut->head = 0;
    cut->count--;
    cut->isQueued[node] = 0;
    for (int32_t d = 0; d < 8; d++) {
      const uint8_t tree = cut->tree[node];
      if (tree != SOURCE && tree != SINK) break;
      const int32_t other = node + cut->step[d];
      if (cut->tree[other] == OUTSIDE || cut->tree[other] == tree) continue;
      const int32_t left = tree == SOURCE ? residual(cut, node, d) : residual(cut, other, d ^ 4);
      if (left == 0) continue;
      if (cut->tree[other] == FREE) {
        cut->tree[other] = tree;
        cut->parent[other] = (uint8_t)(d ^ 4);
        cut->stamp[other] = cut->stamp[node];
        cut->distance[other] = cut->distance[node] + 1;
        enqueue(cut, other);
        continue;
      }
      cut->clock++;
      if (tree == SOURCE ? augment(cut, node, d) : augment(cut, other, d ^ 4)) return 1;
      if (adopt(cut)) return 1;
      // The edge may hold more, and the node may have changed its tree.
      d--;
    }
  }
  return 0;
}

static int32_t whole(float cost) {
  const float most = 1 << 24;
  cost = cost > 16384 ? 16384 : cost < -16384 ? -16384 : cost;
  const float scaled = cost * UNIT;
  return (int32_t)(scaled > most ? most : scaled < -most ? -most : scaled);
}

/// Half of what is usual of the squared differences of neighbours, inverted.
static float contrast(const float *codes, int32_t width, int32_t height) {
  double sum = 0;
  int64_t pairs = 0;
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x + 1 < width; x++) {
      const float *a = codes + 3 * ((size_t)y * width + x), *b = a + 3;
      const float r = a[0] - b[0], g = a[1] - b[1], c = a[2] - b[2];
      sum += r * r + g * g + c * c;
      pairs++;
    }
  return pairs > 0 && sum > 0 ? (float)(0.5 * pairs / sum) : 0;
}

/// Marks pixels that have an edge: they or one of the four neighbours that follow them are not settled.
FOCAL_CLONES
static void markEdges(const uint8_t *row, int32_t width, int32_t isLast, uint8_t *restrict marks) {
  const uint8_t *below = isLast ? row : row + width;
  for (int32_t x = 0; x < width; x++) marks[x] = row[x] == 0 || below[x] == 0;
  for (int32_t x = 0; x + 1 < width; x++)
    marks[x] |= row[x + 1] == 0 || below[x + 1] == 0;
  for (int32_t x = 1; x < width; x++) marks[x] |= below[x - 1] == 0;
}

/// Edges between neighbours: they cost less where colours differ. `marks` has room for a row.
static void linkNeighbours(struct Cut *cut, const float *codes, const uint8_t *fixed, int32_t width,
                           int32_t height, float smoothness, uint8_t *marks) {
  const int32_t row = width + 2;
  const float beta = contrast(codes, width, height);
  for (int32_t y = 0; y < height; y++) {
    markEdges(fixed + (size_t)y * width, width, y + 1 == height, marks);
    const uint8_t *end = marks + width;
    for (const uint8_t *next = marks; (next = memchr(next, 1, (size_t)(end - next))) != NULL;
         next++) {
      const int32_t x = (int32_t)(next - marks);
      const size_t place = (size_t)y * width + x;
      const int32_t node = (y + 1) * row + x + 1;
      for (int32_t d = 0; d < 4; d++) {
        const int32_t i = x + stepX[d], j = y + stepY[d];
        if (i < 0 || i >= width || j >= height) continue;
        const size_t other = (size_t)j * width + i;
        if (fixed[place] != 0 && fixed[other] != 0) continue;
        const float *a = codes + 3 * place, *b = codes + 3 * other;
        const float r = a[0] - b[0], g = a[1] - b[1], c = a[2] - b[2];
        const float length = d & 1 ? 0.70710678f : 1;
        const float weight = smoothness * length * (0.02f + expf(-beta * (r * r + g * g + c * c)));
        const int32_t capacity = whole(weight), to = node + cut->step[d];
        // A neighbour whose side is settled is as good as the terminal.
        if (fixed[other] != 0) {
          cut->terminal[node] += fixed[other] == 1 ? capacity : -capacity;
        } else if (fixed[place] != 0) {
          cut->terminal[to] += fixed[place] == 1 ? capacity : -capacity;
        } else {
          cut->edge[(size_t)node * 8 + d] = capacity;
          cut->edge[(size_t)to * 8 + (d ^ 4)] = capacity;
        }
      }
    }
  }
}

int32_t focal_cut(const float *codes, const float *cost, const uint8_t *fixed, int32_t width,
                  int32_t height, float smoothness, uint8_t *labels) {
  // A frame of nodes outside saves the question for the border.
  const int32_t row = width + 2;
  const size_t nodes = (size_t)row * (height + 2);
  struct Cut cut = {.orphanRoom = 1024, .clock = 1};
  cut.room = width * height;
  for (int32_t d = 0; d < 8; d++) cut.step[d] = stepY[d] * row + stepX[d];
  cut.edge = calloc(nodes * 8, sizeof *cut.edge);
  cut.terminal = calloc(nodes * 4 + (size_t)cut.room, sizeof *cut.terminal);
  cut.tree = calloc(nodes * 3 + (size_t)width, 1);
  cut.orphans = malloc((size_t)cut.orphanRoom * sizeof *cut.orphans);
  int32_t failed = cut.edge == NULL || cut.terminal == NULL || cut.tree == NULL || cut.orphans == NULL;
  if (!failed) {
    cut.distance = cut.terminal + nodes;
    cut.stamp = cut.distance + nodes;
    cut.queue = cut.stamp + 2 * nodes;
    cut.parent = cut.tree + nodes;
    cut.isQueued = cut.parent + nodes;
    memset(cut.tree, OUTSIDE, nodes);
    memset(cut.parent, NONE, nodes);
    uint8_t *marks = cut.isQueued + nodes;
    linkNeighbours(&cut, codes, fixed, width, height, smoothness, marks);
    for (int32_t y = 0; y < height; y++)
      for (int32_t x = 0; x < width; x++) {
        const size_t place = (size_t)y * width + x;
        if (fixed[place] != 0) continue;
        const int32_t node = (y + 1) * row + x + 1;
        cut.terminal[node] += whole(cost[place]);
        cut.tree[node] = cut.terminal[node] > 0 ? SOURCE : cut.terminal[node] < 0 ? SINK : FREE;
        if (cut.tree[node] == FREE) continue;
        cut.parent[node] = TERMINAL;
        cut.distance[node] = 1;
        enqueue(&cut, node);
      }
    failed = grow(&cut);
  }
  if (!failed)
    for (int32_t y = 0; y < height; y++)
      for (int32_t x = 0; x < width; x++) {
        const size_t place = (size_t)y * width + x;
        labels[place] = fixed[place] != 0 ? fixed[place] == 1
                                          : cut.tree[(y + 1) * row + x + 1] == SOURCE;
      }
  free(cut.edge);
  free(cut.terminal);
  free(cut.tree);
  free(cut.orphans);
  return failed;
}
