// SPDX-License-Identifier: Apache-2.0
//
// SHA-256, by which files of models are known: FIPS 180-4.

#ifndef FOCAL_SHA256_H
#define FOCAL_SHA256_H

#include <stdint.h>

void focal_sha256(const uint8_t *bytes, int64_t count, uint8_t digest[32]);

#endif
