/**
 * One client and one server: what passes between them unchanged, and the calls that take the commit path.
 *
 * Only `tools/call` is decided on. If its client cancels a call, the client is answered no more: the call is not sent
 * any more, or, if it was sent, the server is told. Everything else passes as the text that arrived, in its order:
 * resources, prompts, sampling, elicitation, logging, progress, and methods that nobody here knows. So a session needs
 * to know no version of MCP.
 */
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Limits from "../Limits.ts"
import type { Challenge } from "../message/Challenge.ts"
import * as JsonRpc from "../message/JsonRpc.ts"
import * as Link from "../wire/Link.ts"
import * as OpenRequests from "./OpenRequests.ts"

/** A call of the client that takes the commit path. */
export interface ClientCall {
  readonly id: JsonRpc.Id
  readonly tool: string
  readonly args: JsonObject
  /** All parameters as the client gave them. */
  readonly params: JsonObject
  readonly session: Relay
  /** Sends the call to the server under the client's own id. It can be sent once. */
  readonly send: (params: JsonObject, asking: Pick<Link.Asking, "late" | "signal">) => Promise<JsonRpc.Frame>
  readonly isCancelled: () => boolean
  readonly isSent: () => boolean
  /** The server's own answer, once there is one. */
  readonly answer: () => JsonRpc.Frame | undefined
}

/** Ways out of a session. `about` is the id of the request to which a message belongs. */
export interface Ports {
  readonly toClient: (frame: JsonRpc.Frame, about?: JsonRpc.Id) => Promise<void>
  readonly toServer: (frame: JsonRpc.Frame) => Promise<void>
}

/** The reason why a call is stopped: in words, or the challenge because of which it cannot be checked. */
export type Stop = string | Challenge

/** The part that decides on calls. */
export interface Judge {
  /** Tells whether calls of a tool take the commit path. Other calls pass, unless `stops` says why not. */
  readonly isContracted: (tool: string) => boolean
  /** Tells why a call that would pass is stopped; `undefined` if it passes. */
  readonly stops: (tool: string, session: Relay) => Promise<Stop | undefined>
  /** Takes a call down the commit path, and answers the response to the client. */
  readonly decide: (call: ClientCall) => Promise<JsonRpc.Frame>
  /** Says that the session can be asked questions from now on. */
  readonly ready: (session: Relay) => void
  /** Says something to the operator, on stderr. */
  readonly note: (says: string) => void
}

/** One client and one server. */
export interface Relay {
  readonly link: Link.Link
  /** Asks the person at the client, by elicitation; `undefined` if the client cannot or nobody answers in time. */
  readonly elicit: (params: JsonObject, about: JsonRpc.Id) => Promise<JsonObject | undefined>
  readonly canElicit: () => boolean
  /** Tells whether the version of MCP has no sessions: a question to the user is then a result of the call. */
  readonly isStateless: () => boolean
  /** Takes a text of the client in. */
  readonly fromClient: (text: string) => Promise<void>
  /** Takes in a text of the server, or the frame of a wire that answers in its place. */
  readonly fromServer: (arrived: string | Buffer | JsonRpc.Frame) => Promise<void>
  /** The server has ended: fails every request that was passed to it and is still open. */
  readonly serverEnded: (why: string) => Promise<void>
  /** Settles once no call is under way. */
  readonly idle: () => Promise<void>
  /** The name of the client's program, as it gave it. */
  readonly client: () => string | undefined
}

/** The prefix of the fields that the stateless versions of MCP want in `_meta` of each request. */
const protocolField = "io.modelcontextprotocol/"

/** Makes a session. */
export const make = (ports: Ports, judge: Judge): Relay => {
  const requests = OpenRequests.make()
  /** The work on requests that are answered here. */
  const underWay = new Set<Promise<void>>()
  let meta: JsonObject = {}
  let capabilities: JsonObject = {}
  let client: string | undefined
  let isReady = false

  const late = (id: JsonRpc.Id) => judge.note(`an answer to ${id} came after its time, and is not passed on`)
  const toServer = Link.make(ports.toServer, () => meta, late)
  const asking = new Map<string, JsonRpc.Id>()
  const toClient = Link.make(
    (frame) =>
      ports.toClient(
        frame,
        frame.message?._tag === "Request" ? asking.get(JsonRpc.keyOf(frame.message.id)) : undefined
      ),
    () => ({}),
    () => {}
  )

  /** Answers a request once, unless its client waits no more. */
  const answer = async (request: OpenRequests.OpenRequest, frame: JsonRpc.Frame): Promise<void> => {
    if (requests.close(request) && !request.isCancelled) await ports.toClient(frame, request.id)
  }

  const fail = (request: OpenRequests.OpenRequest, error: JsonRpc.ResponseError) =>
    answer(request, JsonRpc.failure(request.id, error))

  const works = (work: Promise<void>): void => {
    const running: Promise<void> = work.finally(() => underWay.delete(running))
    underWay.add(running)
  }

  const ready = (): void => {
    if (isReady) return
    isReady = true
    judge.ready(session)
  }

  /** Learns from requests what the session needs for questions of its own. */
  const learn = ({ method, params }: JsonRpc.JsonRpcRequest): void => {
    if (method === "initialize") {
      if (JsonRpc.isObject(params["capabilities"])) capabilities = params["capabilities"]
      client = nameOf(params["clientInfo"])
      return
    }
    const given = params["_meta"]
    if (!JsonRpc.isObject(given)) return
    const own = Object.entries(given).filter(([name]) => name.startsWith(protocolField))
    if (own.length === 0) return
    meta = Object.fromEntries(own)
    const told = given[`${protocolField}clientCapabilities`]
    if (JsonRpc.isObject(told)) capabilities = told
    client = nameOf(given[`${protocolField}clientInfo`]) ?? client
    ready()
  }

  const fromMessage = async (arrived: JsonRpc.ClientFrame): Promise<void> => {
    const { message } = arrived
    switch (message._tag) {
      case "Request":
        return requested(message, arrived)
      case "Notification":
        return notified(message, arrived)
      case "Response":
        if (!toClient.answered(arrived)) await ports.toServer(arrived)
    }
  }

  /** Takes a request in, unless its id is under way: the answer to one would be taken for the answer to the other. */
  const requested = async (message: JsonRpc.JsonRpcRequest, arrived: JsonRpc.ClientFrame): Promise<void> => {
    const { id, method } = message
    const request = requests.open(message)
    if (request === undefined) {
      const problem = "A request under this id is under way. Nothing was sent"
      return ports.toClient(JsonRpc.failure(id, { code: JsonRpc.codes.invalid, message: problem }), id)
    }
    learn(message)
    return method === "tools/call" ? toolCall(request, message, arrived) : pass(request, message, arrived)
  }

  const notified = async (message: JsonRpc.Notification, frame: JsonRpc.Frame): Promise<void> => {
    if (message.method === "tools/call") return judge.note("a tools/call without an id was dropped: it has no answer")
    if (message.method === "notifications/cancelled") {
      const id = message.params["requestId"]
      const request = typeof id === "string" || typeof id === "number" ? requests.find(id) : undefined
      if (request !== undefined) requests.cancel(request)
      // The server knows nothing of it.
      if (request?.isSent === false) return
    }
    await ports.toServer(frame)
    if (message.method === "notifications/initialized") ready()
  }

  const toolCall = async (
    request: OpenRequests.OpenRequest,
    message: JsonRpc.JsonRpcRequest,
    arrived: JsonRpc.ClientFrame
  ): Promise<void> => {
    const { id, params } = message
    const { arguments: args = {}, name } = params
    const refuse = (problem: string) => fail(request, { code: JsonRpc.codes.badParams, message: problem })
    if (typeof name !== "string" || !JsonRpc.isObject(args)) {
      return refuse("tools/call needs the name of a tool, and arguments as an object. Nothing was sent")
    }
    if (!judge.isContracted(name)) return pass(request, message, arrived, name)
    if (arrived.isInexact) {
      return refuse("A whole number beyond 2^53 cannot be recorded exactly. Give it as text. Nothing was sent")
    }
    const others = requests.all().filter(({ isJudged }) => isJudged).length
    if (others >= Limits.refusing.callsUnderWayMax) {
      return refuse(`${others} calls are under way. Wait for their answers. Nothing was sent`)
    }
    request.isJudged = true
    const call = callOf(request, { id, tool: name, args, params })
    works(judge.decide(call).then((reply) => answer(request, reply === call.answer() ? reply : complete(reply))))
  }

  /** Passes a request on, unless it calls a tool that is stopped. */
  const pass = async (
    request: OpenRequests.OpenRequest,
    message: JsonRpc.JsonRpcRequest,
    frame: JsonRpc.Frame,
    tool?: string
  ): Promise<void> => {
    const { id } = request
    const why = tool === undefined ? undefined : await judge.stops(tool, session)
    if (request.isCancelled) return
    if (typeof why === "object") return answer(request, JsonRpc.challenged(id, why))
    if (why !== undefined) {
      const stopped = { content: [{ type: "text", text: why }], isError: true }
      return answer(request, complete(JsonRpc.success(id, stopped)))
    }
    if (!toServer.isOpen()) return fail(request, goneError)
    request.isSent = true
    return toServer.isAbandoned(id) ? renamed(request, message) : ports.toServer(frame)
  }

  /** Adds the type to a result of the proxy, if the version of MCP is one without sessions, which want it in each. */
  const complete = (frame: JsonRpc.Frame): JsonRpc.Frame => {
    const result = frame.message?._tag === "Response" ? frame.message.result : undefined
    if (result === undefined || !session.isStateless() || "resultType" in result) return frame
    return JsonRpc.success((frame.message as JsonRpc.Response).id, { ...result, resultType: "complete" })
  }

  /** Sends a request under an id of our own, because an answer to an earlier one under its id may still come. */
  const renamed = async (
    request: OpenRequests.OpenRequest,
    { id, method, params }: JsonRpc.JsonRpcRequest
  ): Promise<void> => {
    const answered = toServer.ask(method, params).then(
      (frame) => JsonRpc.answering(id, frame),
      () => JsonRpc.failure(id, goneError)
    )
    works(answered.then((frame) => answer(request, frame)))
  }

  /**
   * Makes the call of a request. A challenge answers its client at once, although the call is not decided: with the
   * token that the client gets for it, the server is asked what became of the call.
   */
  const callOf = (
    request: OpenRequests.OpenRequest,
    given: Pick<ClientCall, "args" | "id" | "params" | "tool">
  ): ClientCall => {
    let answered: JsonRpc.Frame | undefined
    return {
      ...given,
      session,
      send: async (params, asking) => {
        request.isSent = true
        const id = toServer.isAbandoned(given.id) ? undefined : given.id
        const frame = await toServer.ask("tools/call", params, { ...asking, id }).catch((cause: unknown) => {
          if (Link.isUnsent(cause)) request.isSent = false
          throw cause
        })
        answered = id === undefined ? JsonRpc.answering(given.id, frame) : frame
        if (answered.challenge !== undefined) await answer(request, answered)
        return answered
      },
      isCancelled: () => request.isCancelled,
      isSent: () => request.isSent,
      answer: () => answered
    }
  }

  const session: Relay = {
    link: toServer,
    canElicit: () => {
      const { elicitation } = capabilities
      // A client that names only other forms than a form cannot show one.
      return JsonRpc.isObject(elicitation) && (Object.keys(elicitation).length === 0 || "form" in elicitation)
    },
    isStateless: () => Object.keys(meta).length > 0,
    elicit: async (params, about) => {
      const id = `backstitch-${crypto.randomUUID()}`
      asking.set(JsonRpc.keyOf(id), about)
      try {
        const timeoutMillis = Limits.pacing.elicitationMillis
        const { message } = await toClient.ask("elicitation/create", params, { id, timeoutMillis })
        return message?._tag === "Response" ? message.result : undefined
      } catch {
        return undefined
      } finally {
        asking.delete(JsonRpc.keyOf(id))
      }
    },
    fromClient: async (text) => {
      for (const each of JsonRpc.arrived(text)) {
        if ("message" in each) {
          await fromMessage(each)
          continue
        }
        const { code, id, problem } = each
        judge.note(`a message of the client was dropped: ${problem}`)
        await ports.toClient(JsonRpc.failure(id, { code, message: `Nothing was sent: ${problem}` }), id ?? undefined)
      }
    },
    fromServer: async (arrived) => {
      const frame = typeof arrived === "string" || Buffer.isBuffer(arrived) ? JsonRpc.frameOf(arrived) : arrived
      if (toServer.answered(frame)) return
      const { message } = frame
      if (message?._tag === "Response") {
        const request = requests.find(message.id)
        // Only the judge answers a call under contract: a second answer of the server would come before the readback,
        // or after it, when its id may name another request.
        if (request === undefined || request.isJudged) {
          return judge.note(`a second answer to ${message.id} is not passed on`)
        }
        return answer(request, frame)
      }
      if (message?.method === "notifications/tools/list_changed") toServer.listChanged()
      const isProgress = message?.method === "notifications/progress"
      const progress = isProgress ? OpenRequests.progressOf(message.params) : undefined
      await ports.toClient(frame, progress === undefined ? undefined : requests.reportedUnder(progress)?.id)
    },
    serverEnded: async (why) => {
      toServer.closed(why)
      for (const request of requests.all()) if (!request.isJudged) await fail(request, goneError)
    },
    idle: async () => {
      while (underWay.size > 0) await Promise.allSettled([...underWay])
    },
    client: () => client
  }
  return session
}

const goneError: JsonRpc.ResponseError = {
  code: JsonRpc.codes.internal,
  message: "The server has ended without an answer. Begin a new session"
}

const nameOf = (info: unknown): string | undefined =>
  JsonRpc.isObject(info) && typeof info["name"] === "string" ? info["name"] : undefined
