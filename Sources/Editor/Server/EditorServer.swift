// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// Serves the editor's page, its pictures and sound, and the steps of editing, on the loopback interface.
///
/// Heads of requests, frames of sockets, connections and their rates are bounded. Every connection has a task of
/// its own that waits for its client alone.
public final class EditorServer: Sendable {
  /// The address of the page, with the token.
  public var address: String { address(with: guardian.token) }

  /// The address of the page with a token that opens it once, within two minutes; the one that was made before opens
  /// it no more. It is for command lines, such as a browser's, which other users of the machine can read.
  public func makeAddressForOnce() -> String { address(with: guardian.makePass()) }

  private func address(with token: String) -> String {
    "http://127.0.0.1:\(socket.port)/?token=\(token)"
  }

  private let socket: ListeningSocket
  private let editor: Editor
  private let guardian = RequestGuard()
  private let limits: Limits
  private let state = Mutex(State())

  /// The bounds of what clients may ask.
  public struct Limits: Sendable {
    public var connections = 96
    /// Of connections that have not shown the cookie yet, so many stay: of more, the oldest ends.
    public var strangers = 24
    /// Without a request or a sign of life a connection ends.
    public var connectionIdle = Duration.seconds(60)
    /// Without any page, and without a request, the server ends; `nil` for never.
    public var serverIdle: Duration? = .seconds(30 * 60)
    public init() {}
  }

  private struct State {
    /// Connections that have shown the cookie.
    var known: Set<ObjectIdentifier> = []
    /// Connections that have not shown the cookie yet, the oldest first.
    var strangers: [(id: ObjectIdentifier, channel: any Channel)] = []
    var task: Task<Void, Never>?
    var isStopped = false
    /// No further connection is served.
    var isEnding = false
    /// How many pages are open. While a machine sleeps they say nothing; one that is gone ends with its connection.
    var pageCount = 0
    var lastUse = ContinuousClock.now
  }

  public init(_ editor: Editor, on socket: ListeningSocket, limits: Limits = Limits()) {
    self.editor = editor
    self.socket = socket
    self.limits = limits
  }

  /// Serves until it is stopped, or idle for long enough. A socket is served once.
  ///
  /// - Throws: `unwritable` where the socket cannot be listened at, `invalidState` where it was served before.
  public func run() async throws(CinematicError) {
    guard let descriptor = socket.take() else {
      throw CinematicError(
        .invalidState, "port \(socket.port) was served before", remedy: "make another socket")
    }
    let task = Task { await serve(descriptor) }
    let isStopped = state.withLock { state in
      state.task = task
      return state.isStopped
    }
    if isStopped { task.cancel() }
    await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    await editor.close()
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  /// Ends the server: connections are closed, what is unsaved stays in its journal.
  public func stop() {
    let task = state.withLock { state in
      state.isStopped = true
      return state.task
    }
    task?.cancel()
  }

  private let failure = Mutex<CinematicError?>(nil)

  // MARK: - Connections

  private typealias HTTPChannel = NIOAsyncChannel<
    HTTPServerRequestPart, HTTPPart<HTTPResponseHead, ByteBuffer>
  >
  private typealias SocketChannel = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

  private enum Connection: Sendable {
    case http(HTTPChannel)
    case socket(SocketChannel)
  }

  private func serve(_ descriptor: Int32) async {
    do {
      // Longer than a century is not counted in nanoseconds of 64 bits.
      let wait = max(.milliseconds(1), min(limits.connectionIdle, .seconds(100 * 365 * 86400)))
      let idle = TimeAmount.nanoseconds(Int64(wait / .nanoseconds(1)))
      let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.backlog, value: 64)
        // Among the options of sockets the same number is another one, which only root may set.
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .bind(descriptor) { [self] channel in
          channel.eventLoop.makeCompletedFuture {
            meet(channel)
            return try Self.prepare(channel, guardian, idle)
          }
        }
      try await withTaskCancellationHandler {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { [self] in try await accept(channel) }
          group.addTask { [self] in await waitUntilIdle() }
          try await group.next()
          endStrangers()
          group.cancelAll()
        }
      } onCancel: {
        endStrangers()
      }
    } catch is CancellationError {
    } catch {
      guard !Task.isCancelled else { return }
      failure.withLock {
        $0 = CinematicError(
          .unwritable, "the editor cannot be served at port \(socket.port): \(error)",
          remedy: "choose another \(parameter: .port)")
      }
    }
  }

  /// Ends connections of which no request has come: browsers open some ahead, and nothing else ends their wait.
  private func endStrangers() {
    let channels = state.withLock { state in
      state.isEnding = true
      return state.strangers.map(\.channel)
    }
    for channel in channels { channel.close(promise: nil) }
  }

  /// A connection that does not show the cookie cannot keep one out that does.
  private func meet(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    let oldest = state.withLock { state -> (any Channel)? in
      if state.isEnding { return channel }
      state.strangers.append((id, channel))
      return state.strangers.count > limits.strangers
        ? state.strangers.removeFirst().channel : nil
    }
    oldest?.close(promise: nil)
    channel.closeFuture.whenComplete { [self] _ in
      state.withLock { state in
        state.strangers.removeAll { $0.id == id }
        state.known.remove(id)
      }
    }
  }

  /// - Returns: whether there is room for a connection that has shown the cookie.
  private func know(_ channel: any Channel) -> Bool {
    let id = ObjectIdentifier(channel)
    return state.withLock { state in
      guard channel.isActive else { return false }
      state.strangers.removeAll { $0.id == id }
      guard state.known.contains(id) || state.known.count < limits.connections else { return false }
      state.known.insert(id)
      return true
    }
  }

  private static func prepare(
    _ channel: any Channel, _ guardian: RequestGuard, _ idle: TimeAmount
  ) throws -> EventLoopFuture<Connection> {
    let pipeline = channel.pipeline.syncOperations
    let requests = OpenRequests()
    try pipeline.addHandler(IdleStateHandler(readTimeout: idle))
    try pipeline.addHandler(IdleCloser(requests))
    let upgrader = NIOTypedWebSocketServerUpgrader<Connection>(
      maxFrameSize: 1 << 16,
      shouldUpgrade: { channel, head in
        let isAllowed =
          RequestGuard.parts(head.uri).path == "/socket"
          && guardian.verdict(head, isSocket: true) == .allowed
        return channel.eventLoop.makeSucceededFuture(isAllowed ? HTTPHeaders() : nil)
      },
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          .socket(try SocketChannel(wrappingChannelSynchronously: channel))
        }
      })
    let configuration = NIOTypedHTTPServerUpgradeConfiguration<Connection>(
      upgraders: [upgrader],
      notUpgradingCompletionHandler: { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(RequestCounter(requests))
          try channel.pipeline.syncOperations.addHandler(ResponsePartHandler())
          return .http(try HTTPChannel(wrappingChannelSynchronously: channel))
        }
      })
    var limited = NIOUpgradableHTTPServerPipelineConfiguration(
      upgradeConfiguration: configuration)
    limited.decoderConfiguration.maxHeaderFieldSize = 1 << 14
    limited.decoderConfiguration.maxHeaderListSize = 1 << 16
    limited.decoderConfiguration.maxHeaderFieldCount = 100
    let result = try pipeline.configureUpgradableHTTPServerPipeline(configuration: limited)
    try pipeline.addHandler(ErrorCloser())
    return result
  }

  private func accept(
    _ channel: NIOAsyncChannel<EventLoopFuture<Connection>, Never>
  ) async throws {
    try await channel.executeThenClose { inbound in
      try await withThrowingDiscardingTaskGroup { group in
        for try await upgrade in inbound {
          group.addTask { [self] in await serve(upgrade) }
        }
      }
    }
  }

  private func serve(_ upgrade: EventLoopFuture<Connection>) async {
    guard let connection = try? await upgrade.get() else { return }
    // A client that goes away, or breaks the protocol, ends its own connection alone.
    switch connection {
    case .http(let channel):
      try? await channel.executeThenClose { inbound, outbound in
        try await answer(inbound, outbound, of: channel.channel)
      }
    case .socket(let channel):
      try? await channel.executeThenClose { inbound, outbound in
        guard know(channel.channel) else { return }
        try await converse(inbound, outbound)
      }
    }
  }

  private func waitUntilIdle() async {
    while !Task.isCancelled {
      let rest = state.withLock { state -> Duration in
        guard let idle = limits.serverIdle else { return .seconds(3600) }
        return idle - (ContinuousClock.now - state.lastUse)
      }
      if rest <= .zero {
        let isOpen = state.withLock { $0.pageCount > 0 }
        if !isOpen, await !editor.isBusy { return }
        touch()
        continue
      }
      try? await Task.sleep(for: rest)
    }
  }

  private func touch() { state.withLock { $0.lastUse = .now } }

  /// Counts a page that is opened, or one that is closed: the time without any begins then.
  private func countPage(_ change: Int) {
    state.withLock { state in
      state.pageCount += change
      state.lastUse = .now
    }
  }

  // MARK: - Requests

  private func answer(
    _ inbound: NIOAsyncChannelInboundStream<HTTPServerRequestPart>,
    _ outbound: NIOAsyncChannelOutboundWriter<HTTPPart<HTTPResponseHead, ByteBuffer>>,
    of connection: any Channel
  ) async throws {
    var head: HTTPRequestHead?
    var rate = RateLimit(burst: 200, perSecond: 200)
    for try await part in inbound {
      switch part {
      case .head(let new): head = new
      // Nothing that is answered has a body: it is not read, and the connection ends.
      case .body:
        guard let request = head else { return }
        var reply = Reply.text(.badRequest, "a request here has no body")
        if case .refused(let status, let reason) = guardian.verdict(request, isSocket: false) {
          reply = .text(status, reason)
        }
        return try await write(reply, to: request, keeps: false, outbound)
      case .end:
        guard let request = head else { return }
        let verdict = guardian.verdict(request, isSocket: false)
        var reply: Reply
        switch verdict {
        case .refused(let status, let reason): reply = .text(status, reason)
        case .enter(let cookie):
          reply = Reply(status: .seeOther, headers: [("Location", "/"), ("Set-Cookie", cookie)])
        case .allowed where !know(connection):
          reply = .text(.serviceUnavailable, "too many pages are open")
        case .allowed where !rate.take(): reply = .text(.tooManyRequests, "too many requests")
        case .allowed:
          touch()
          reply = await self.reply(to: request.uri)
        }
        var isRefused = false
        if case .refused = verdict { isRefused = true }
        let keeps = request.isKeepAlive && !isRefused
        try await write(reply, to: request, keeps: keeps, outbound)
        guard keeps else { return }
      }
    }
  }

  /// - Parameter keeps: whether the connection goes on.
  private func write(
    _ reply: Reply, to request: HTTPRequestHead, keeps: Bool,
    _ outbound: NIOAsyncChannelOutboundWriter<HTTPPart<HTTPResponseHead, ByteBuffer>>
  ) async throws {
    var headers = HTTPHeaders(Reply.common + reply.headers)
    headers.add(name: "Content-Length", value: "\(reply.body.count)")
    if !keeps { headers.add(name: "Connection", value: "close") }
    try await outbound.write(
      .head(HTTPResponseHead(version: .http1_1, status: reply.status, headers: headers)))
    // The answer to HEAD, a refusal, has none.
    if !reply.body.isEmpty, request.method != .HEAD {
      try await outbound.write(.body(ByteBuffer(bytes: reply.body)))
    }
    try await outbound.write(.end(nil))
  }

  private func reply(to uri: String) async -> Reply {
    let (path, query) = RequestGuard.parts(uri)
    if path == "/" { return .file("index.html") ?? .text(.notFound, "there is no page") }
    if path.hasPrefix("/page/"), let file = Reply.file(String(path.dropFirst(6))) { return file }
    do throws(CinematicError) {
      if let reply = try await editor.reply(path, query) { return reply }
      return .text(.notFound, "there is nothing at this address")
    } catch {
      let status: HTTPResponseStatus =
        switch error.code {
        case .cancelled: .conflict
        case .invalidParameter, .incomplete: .badRequest
        default: .internalServerError
        }
      return .text(status, editor.words.text(of: error))
    }
  }

  // MARK: - Sockets

  private func converse(
    _ inbound: NIOAsyncChannelInboundStream<WebSocketFrame>,
    _ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>
  ) async throws {
    countPage(1)
    defer { countPage(-1) }
    let mailbox = Mailbox()
    let client = await editor.join(mailbox)
    defer { mailbox.close() }
    try? await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        while let message = await mailbox.next() {
          try await outbound.write(
            WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: message)))
        }
      }
      group.addTask {
        // The answer keeps the connection from being idle; without one it ends.
        while true {
          try await Task.sleep(for: .seconds(20))
          try await outbound.write(
            WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer()))
        }
      }
      group.addTask { [self] in
        var rate = RateLimit(burst: 400, perSecond: 200)
        for try await frame in inbound {
          // Clients mask all that they send (RFC 6455, 5.1).
          guard frame.maskKey != nil else {
            try await outbound.write(Self.closing(1002))
            return
          }
          switch frame.opcode {
          case .text:
            guard frame.fin, rate.take() else {
              try await outbound.write(Self.closing(1008))
              return
            }
            touch()
            await editor.take(Data(frame.unmaskedData.readableBytesView), from: client)
          case .ping:
            try await outbound.write(
              WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData))
          case .pong: touch()
          case .connectionClose:
            try await outbound.write(Self.closing(1000))
            return
          default:
            try await outbound.write(Self.closing(1003))
            return
          }
        }
      }
      try await group.next()
      group.cancelAll()
    }
    await editor.leave(client)
  }

  private static func closing(_ code: UInt16) -> WebSocketFrame {
    var data = ByteBuffer()
    data.writeInteger(code)
    return WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
  }
}

/// Requests of a connection whose answer has not begun.
private final class OpenRequests: Sendable {
  let count = Atomic(0)
}

/// Ends a connection of which nothing came for too long, unless it waits for an answer, which a slow device may take
/// its time for.
private final class IdleCloser: ChannelInboundHandler {
  typealias InboundIn = NIOAny
  typealias InboundOut = NIOAny
  private let requests: OpenRequests

  init(_ requests: OpenRequests) { self.requests = requests }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is IdleStateHandler.IdleStateEvent {
      if requests.count.load(ordering: .relaxed) == 0 { context.close(promise: nil) }
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }
}

private final class RequestCounter: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart
  private let requests: OpenRequests

  init(_ requests: OpenRequests) { self.requests = requests }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .end = unwrapInboundIn(data) { requests.count.add(1, ordering: .relaxed) }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .head = unwrapOutboundIn(data) { requests.count.subtract(1, ordering: .relaxed) }
    context.write(data, promise: promise)
  }
}

/// Ends a connection whose bytes are not understood, once it has been told so.
private final class ErrorCloser: ChannelInboundHandler {
  typealias InboundIn = NIOAny
  typealias InboundOut = NIOAny

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.fireErrorCaught(error)
    context.close(promise: nil)
  }
}

/// Gives the encoder its parts in the form that it takes.
private final class ResponsePartHandler: ChannelOutboundHandler {
  typealias OutboundIn = HTTPPart<HTTPResponseHead, ByteBuffer>
  typealias OutboundOut = HTTPServerResponsePart

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(let head): context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body(let buffer):
      context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: promise)
    case .end(let trailers): context.write(wrapOutboundOut(.end(trailers)), promise: promise)
    }
  }
}
