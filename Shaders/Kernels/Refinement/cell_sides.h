// SPDX-License-Identifier: Apache-2.0
//
// The two or three sides of an edge cell.
#pragma once

// Reads `map`, `front`, `back`, `kind`.
FOCAL_FUNCTION FocalCellSides sidesOf(FOCAL_TAKES int32_t i) {
  const bool has = FOCAL_INT(kind[i]) == FocalCellEdgeWithMiddle;
  const FocalCellSides sides = {front[i], back[i], has ? map[i] : back[i], has ? 1 : 0};
  return sides;
}
