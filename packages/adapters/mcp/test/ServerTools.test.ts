import * as TaskPack from "@backstitch/contracts/TaskPack"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as ToolMapping from "../src/contract/ToolMapping.ts"
import * as JsonRpc from "../src/message/JsonRpc.ts"
import * as Relay from "../src/proxy/Relay.ts"
import * as ServerTools from "../src/proxy/ServerTools.ts"
import * as Link from "../src/wire/Link.ts"

const pack = Result.getOrThrow(TaskPack.make({ pack: "acme.mail", version: "1", tools: {} }))

/** Stands still: no timer and no other message is served before the moment is over. */
const standStill = (until: number): void => {
  while (Date.now() <= until) Math.hypot(1, 1)
}

/** A call of a server whose connection is there only once the process has stood still until a moment. */
const called = (until: number, more: { readonly sendBefore: number; readonly resent?: boolean }) =>
  Effect.gen(function* () {
    const sent: Array<JsonRpc.Frame> = []
    const link: Link.OwnedLink = Link.make(
      async (frame) => {
        sent.push(frame)
        if (frame.message?._tag === "Request") link.answered(JsonRpc.success(frame.message.id, { content: [] }))
      },
      () => ({}),
      () => {}
    )
    const connect = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      standStill(until)
      return link
    }
    const tools = ServerTools.make({ pack, mapping: ToolMapping.empty } as never, connect)
    const request = { tool: "send", action: "a1", params: {}, key: undefined, deadlineMillis: 5000, ...more }
    return { answer: yield* tools.call(request), sent: sent.length }
  })

describe("ServerTools", () => {
  it.live("sends a call on a connection that is there in time", () =>
    Effect.gen(function* () {
      const { answer, sent } = yield* called(Date.now(), { sendBefore: Date.now() + 5000 })
      assert.deepStrictEqual([answer._tag, sent], ["Ok", 1])
    })
  )

  it.live("sends nothing on a connection that is there too late, and says so unless it was sent before (L14)", () =>
    Effect.gen(function* () {
      for (const resent of [false, true]) {
        const sendBefore = Date.now() + 30
        const { answer, sent } = yield* called(sendBefore, { sendBefore, resent })
        assert.deepStrictEqual([answer._tag, sent], [resent ? "Unknown" : "Error", 0])
      }
    })
  )

  it("counts a call of a client that was dropped as one that was not sent", async () => {
    const calls: Array<Relay.ClientCall> = []
    const sent: Array<JsonRpc.Frame> = []
    const ports = { toClient: async () => {}, toServer: async (frame: JsonRpc.Frame) => void sent.push(frame) }
    const session = Relay.make(ports, {
      isContracted: () => true,
      stops: async () => undefined,
      ready: () => {},
      note: () => {},
      decide: async (call) => {
        calls.push(call)
        const dropped = await call.send(call.params, { signal: AbortSignal.abort() }).catch((cause: unknown) => cause)
        assert.isTrue(Link.isUnsent(dropped))
        return JsonRpc.success(call.id, {})
      }
    })
    const params = { name: "send", arguments: {} }
    await session.fromClient(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }))
    await session.idle()
    assert.deepStrictEqual(
      calls.map((call) => call.isSent()),
      [false]
    )
    assert.deepStrictEqual(sent, [])
  })
})
