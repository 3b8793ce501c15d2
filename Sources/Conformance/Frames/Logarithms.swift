// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The natural logarithm.
func logarithm(_ x: Double) -> Double { log(x) }
func power(_ x: Double, _ exponent: Double) -> Double { pow(x, exponent) }
