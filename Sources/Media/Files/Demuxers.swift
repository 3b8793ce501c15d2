// SPDX-License-Identifier: Apache-2.0

/// The containers that are read: those of libavformat that hold a film, or sound, in one file.
///
/// A list of what is allowed, since others are opened by their content alone, whatever a file is called: a text
/// that describes a session (SDP) listens on the network, a playlist or an image list names other files.
enum Demuxers {
  /// By the first of a demuxer's names.
  private static let names: Set<String> = [
    // Films.
    "asf", "asf_o", "avi", "dv", "flv", "gxf", "lxf", "matroska", "mov", "mpeg", "mpegts", "mxf",
    "nsv", "nut", "ogg", "r3d", "rm", "swf", "wtv", "yuv4mpegpipe", "4xm", "bink", "film_cpk",
    "ivf", "lmlm4", "mtv", "pva", "roq", "smk", "vivo", "xmv",
    // A stream alone.
    "av1", "avs2", "avs3", "cavsvideo", "dirac", "dnxhd", "evc", "h261", "h263", "h264", "hevc",
    "m4v", "mjpeg", "mpegvideo", "obu", "smjpeg", "v210", "v210x", "vc1", "vc1test", "vvc",
    // Moving pictures.
    "apng", "cine", "fits", "flic", "gif", "ser",
    // Sound.
    "aac", "ac3", "aiff", "amr", "ape", "au", "caf", "dsf", "dts", "dtshd", "eac3", "flac", "iff",
    "loas", "mlp", "mp3", "mpc", "mpc8", "oma", "sox", "spdif", "tak", "truehd", "tta", "voc",
    "w64", "wav", "wv",
  ]

  /// Whether a demuxer reads only the bytes that it is given.
  ///
  /// - Parameter demuxer: Its names as libavformat has them, such as `mov,mp4,m4a,3gp,3g2,mj2`.
  static func readsOneFile(_ demuxer: String) -> Bool {
    names.contains(String(demuxer.prefix { $0 != "," }))
  }
}
