// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOHTTP1

/// The answer to a request.
struct Reply: Sendable {
  var status: HTTPResponseStatus = .ok
  var headers: [(String, String)] = []
  var body = Data()

  /// The headers of every answer: nothing is kept, nothing is guessed, nothing comes from elsewhere.
  static let common: [(String, String)] = [
    ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"), ("X-Frame-Options", "DENY"),
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:;"
        + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
  ]

  static func data(_ body: Data, type: String) -> Reply {
    Reply(headers: [("Content-Type", type)], body: body)
  }

  static func text(_ status: HTTPResponseStatus, _ text: String) -> Reply {
    Reply(
      status: status, headers: [("Content-Type", "text/plain; charset=utf-8")],
      body: Data((text + "\n").utf8))
  }

  /// A description as JSON, then bytes: the description's length stands first, in four bytes, the low one first.
  static func described(_ description: some Encodable, _ bytes: Data) -> Reply {
    let encoder = JSONEncoder()
    // As of messages.
    encoder.outputFormatting = .sortedKeys
    let json = (try? encoder.encode(description)) ?? Data("{}".utf8)
    var body = Data(capacity: 4 + json.count + bytes.count)
    for shift in stride(from: 0, to: 32, by: 8) {
      body.append(UInt8(truncatingIfNeeded: json.count >> shift))
    }
    body.append(json)
    body.append(bytes)
    return data(body, type: "application/octet-stream")
  }

  /// A file of the page.
  static func file(_ name: String) -> Reply? {
    guard let text = EmbeddedPage.files[name] else { return nil }
    let types = [
      "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
      "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
    ]
    guard let ending = name.split(separator: ".").last, let type = types[String(ending)],
      let data = Data(base64Encoded: "\(text)")
    else { return nil }
    return .data(data, type: type)
  }
}
