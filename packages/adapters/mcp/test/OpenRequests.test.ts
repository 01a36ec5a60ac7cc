/** Requests that are over: nothing that comes later is taken for theirs, however they ended. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "../src/message/JsonRpc.ts"
import * as OpenRequests from "../src/proxy/OpenRequests.ts"
import * as Relay from "../src/proxy/Relay.ts"

const requestOf = (id: JsonRpc.Id, progressToken?: JsonRpc.Id): JsonRpc.JsonRpcRequest => ({
  _tag: "Request",
  id,
  method: "tools/call",
  params: progressToken === undefined ? {} : { _meta: { progressToken } }
})

const progress = (progressToken: string) => JsonRpc.notification("notifications/progress", { progressToken })

/** A session over ports that keep what they are given, in which "judged" is a tool under contract. */
const begin = (judge: Partial<Relay.Judge> = {}) => {
  const told: Array<{ readonly frame: JsonRpc.Frame; readonly about: JsonRpc.Id | undefined }> = []
  const sent: Array<JsonRpc.Frame> = []
  const session = Relay.make(
    {
      toClient: async (frame, about) => void told.push({ frame, about }),
      toServer: async (frame) => void sent.push(frame)
    },
    {
      isContracted: (tool) => tool === "judged",
      stops: async () => undefined,
      decide: ({ params, send }) => send(params, {}),
      ready: () => {},
      note: () => {},
      ...judge
    }
  )
  const asks = (id: JsonRpc.Id, params: JsonRpc.JsonRpcRequest["params"], method = "tools/call") =>
    session.fromClient(JsonRpc.request(id, method, { ...params, _meta: { progressToken: "seen" } }).text as string)
  /** The request to which a report of progress under that token is said to belong. */
  const attributed = async () => {
    await session.fromServer(progress("seen"))
    return told.at(-1)!.about
  }
  return { asks, attributed, sent, session, told }
}

const cancelled = (id: JsonRpc.Id) => JsonRpc.notification("notifications/cancelled", { requestId: id }).text as string

describe("OpenRequests", () => {
  it("has a request from its arrival to its end, by its id and its token", () => {
    const requests = OpenRequests.make()
    const first = requests.open(requestOf(1, "seen"))!
    assert.isUndefined(requests.open(requestOf(1)))
    assert.isDefined(requests.open(requestOf("1")))
    assert.strictEqual(requests.reportedUnder("string seen"), first)
    assert.isTrue(requests.close(first))
    assert.isFalse(requests.close(first))
    assert.isUndefined(requests.reportedUnder("string seen"))
    const second = requests.open(requestOf(1))!
    assert.isFalse(requests.close(first))
    assert.strictEqual(requests.find(1), second)
  })

  it("keeps the token of the request that has it last", () => {
    const requests = OpenRequests.make()
    const [one, other] = [requests.open(requestOf(1, "seen"))!, requests.open(requestOf(2, "seen"))!]
    requests.close(one)
    assert.strictEqual(requests.reportedUnder("string seen"), other)
  })

  it("attributes progress to a request under way, and to none that has ended, whatever ended it", async () => {
    const passing = begin()
    await passing.asks(1, { name: "passed" })
    assert.strictEqual(await passing.attributed(), 1)
    await passing.session.fromServer(JsonRpc.success(1, {}))
    assert.isUndefined(await passing.attributed())

    const refused = begin()
    await refused.asks(1, { name: 7 })
    assert.isUndefined(await refused.attributed())

    const stopped = begin({ stops: async () => "it is not permitted" })
    await stopped.asks(1, { name: "passed" })
    assert.isUndefined(await stopped.attributed())

    const gone = begin()
    await gone.asks(1, { name: "passed" })
    await gone.session.serverEnded("it ended")
    assert.isUndefined(await gone.attributed())
    await gone.asks(2, { name: "passed" })
    assert.isUndefined(await gone.attributed())

    for (const tool of ["passed", "judged"]) {
      const calling = begin()
      await calling.asks(1, { name: tool })
      assert.strictEqual(await calling.attributed(), 1)
      await calling.session.fromClient(cancelled(1))
      assert.isUndefined(await calling.attributed())
    }
  })

  it("attributes none to a request that was sent under another id, once it is answered", async () => {
    const isOver = new AbortController()
    const { asks, attributed, sent, session } = begin({
      decide: ({ id, params, send }) =>
        send(params, { signal: isOver.signal }).catch(() => JsonRpc.failure(id, { code: 0, message: "held" }))
    })
    await asks(1, { name: "judged" })
    isOver.abort()
    await session.idle()
    await asks(1, {}, "foo/bar")
    assert.strictEqual(await attributed(), 1)
    const { message } = sent.at(-1)!
    assert.isTrue(message?._tag === "Request" && message.id !== 1)
    await session.fromServer(JsonRpc.success((message as JsonRpc.JsonRpcRequest).id, {}))
    await session.idle()
    assert.isUndefined(await attributed())
  })

  it("sends no request that was cancelled while it was looked at, and answers it neither", async () => {
    let looked = (_: undefined) => {}
    const { asks, sent, session, told } = begin({
      stops: () =>
        new Promise((resolve) => {
          looked = resolve
        })
    })
    const asking = asks(1, { name: "passed" })
    await session.fromClient(cancelled(1))
    looked(undefined)
    await asking
    assert.deepStrictEqual(sent, [])
    assert.deepStrictEqual(told, [])
  })
})
