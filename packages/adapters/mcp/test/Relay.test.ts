/** Bad input on either side of a session: each is a state with a name, nothing is lost and nothing doubled. */
import { ReviewDecision } from "@backstitch/runtime"
import { Run } from "@backstitch/trace"
import { assert, describe, it } from "@effect/vitest"
import { afterEach, beforeEach } from "vitest"
import * as Limits from "../src/Limits.ts"
import { field } from "../src/proxy/reply.ts"
import { fixture, Harness, textOf } from "./harness.ts"

let harness: Harness
beforeEach(() => {
  harness = new Harness()
})
afterEach(() => harness.remove())

const write = (extra = "") => `
pack: acme.odd
version: 1.0.0
tools:
  write:
    class: low_risk_internal
    input: { n: { type: int, optional: true }, secret: { type: string, optional: true } }
    target: none
    identity: { scope: run, fields: [n] }
    undo: X
  large: { class: low_risk_internal, input: { n: int }, target: none, identity: { scope: run, fields: [n] }, undo: X }
  twice: { class: low_risk_internal, input: {}, target: none, identity: none, undo: X }
  hang: { class: low_risk_internal, input: {}, target: "'hung'", identity: none, times: { sendWithin: 200ms }, undo: X }
  read: { class: read_only, input: {} }
  flood: { class: read_only, input: {} }
  babble: { class: read_only, input: {} }
  told: { class: read_only, input: {} }
  die: { class: read_only, input: {} }
${extra}`

const started = (options: Parameters<Harness["start"]>[0] = {}) =>
  harness.start({ pack: write(), mapping: "", command: harness.command(fixture("odd.ts")), ...options })

const until = async (isSo: () => boolean): Promise<void> => {
  for (let tries = 0; !isSo() && tries < 1000; tries++) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.isTrue(isSo())
}

describe("Relay", () => {
  it("answers a line that is no JSON, passes it to nobody, and goes on", async () => {
    const { client, ended, raw, transport } = await started()
    raw('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"write","arguments":{"n":NaN}}}')
    raw('{"jsonrpc":"2.0","id":8,"method":"ping","method":"tools/call","params":{"name":"write"}}')
    raw('{"jsonrpc":"2.0","method":"tools/call","params":{"name":"write","arguments":{"n":9}}}')
    await until(() => transport.received.filter((each) => "error" in each).length === 2)
    const { content } = await client.callTool({ name: "told", arguments: {} })
    assert.notInclude(textOf({ content }), '\\"write\\"')
    await client.close()
    assert.strictEqual((await ended).by, "client")
  })

  it("passes what a server prints by mistake, and the messages around it", async () => {
    const { client, ended, transport } = await started()
    assert.strictEqual(textOf(await client.callTool({ name: "babble", arguments: {} })), "babbled")
    assert.deepStrictEqual(transport.unread, ["this is no message", '{"half'])
    await client.close()
    await ended
  })

  it("keeps the order and the number of a flood of notifications", async () => {
    const { client, ended, transport } = await started()
    await client.callTool({ name: "flood", arguments: { n: 20_000 } })
    const seen = transport.received.flatMap((each) =>
      "method" in each && each.method === "notifications/message" ? [each.params?.["data"]] : []
    )
    assert.deepStrictEqual(seen, [...seen.keys()])
    assert.lengthOf(seen, 20_000)
    await client.close()
    await ended
  })

  it("refuses calls beyond the number that may be under way, and sends nothing of them", async () => {
    const { client, ended } = await started()
    const { callsUnderWayMax } = Limits.refusing
    const many = Array.from({ length: callsUnderWayMax + 50 }, (_, n) =>
      client.callTool({ name: "write", arguments: { n } })
    )
    const results = await Promise.allSettled(many)
    const [done, refused] = (["fulfilled", "rejected"] as const).map(
      (status) => results.filter((each) => each.status === status).length
    )
    assert.isAtLeast(done!, callsUnderWayMax)
    assert.strictEqual(done! + refused!, callsUnderWayMax + 50)
    const { content } = await client.callTool({ name: "told", arguments: {} })
    assert.strictEqual(textOf({ content }).split('\\"write\\"').length - 1, done)
    await client.close()
    await ended
  })

  it("gives a client an answer of 50 MB whole, and keeps its size and digest (L5)", async () => {
    const { client, ended } = await started()
    const n = 50_000_000
    const first = await client.callTool({ name: "large", arguments: { n } })
    assert.lengthOf(textOf(first), n)
    const again = await client.callTool({ name: "large", arguments: { n } })
    assert.match(textOf(again), /too large to be kept \(\d+ characters, SHA-256 [0-9a-f]{64}\)/)
    assert.include(textOf(again), "This was done before")
    await client.close()
    await ended
  })

  it("passes one answer to a call under contract, whatever a server sends", async () => {
    const { client, ended, notes, transport } = await started()
    assert.strictEqual(textOf(await client.callTool({ name: "twice", arguments: {} })), "first")
    const dropped = () => notes.filter((each) => each.includes("a second answer")).length
    for (let turn = 0; turn < 200 && dropped() < 2; turn++) await new Promise((resolve) => setTimeout(resolve, 10))
    await client.callTool({ name: "read", arguments: {} })
    assert.notInclude(JSON.stringify(transport.received), "second")
    assert.strictEqual(dropped(), 2)
    await client.close()
    await ended
  })

  it("holds a call whose answer never comes, and does not send it again", async () => {
    const { client, ended } = await started()
    const held = await client.callTool({ name: "hang", arguments: {} })
    assert.deepInclude(held, { isError: true })
    assert.include(textOf(held), "Nobody knows yet whether this happened")
    const again = await client.callTool({ name: "hang", arguments: {} })
    assert.deepInclude(again, { isError: true })
    const { content } = await client.callTool({ name: "told", arguments: {} })
    assert.strictEqual(textOf({ content }).split('\\"hang\\"').length - 1, 1)
    await client.close()
    await ended
  })

  it("refuses a request under the id of a call under way, and answers one once its time is over", async () => {
    const { client, ended, raw, transport } = await started()
    const answers = () => transport.received.filter((each) => "id" in each && each.id === 70)
    raw('{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"hang","arguments":{}}}')
    raw('{"jsonrpc":"2.0","id":70,"method":"foo/bar"}')
    await until(() => answers().length === 2)
    assert.include(JSON.stringify(answers()[0]), "A request under this id is under way. Nothing was sent")
    assert.include(JSON.stringify(answers()[1]), "Nobody knows yet whether this happened")
    raw('{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"read"}}')
    await until(() => answers().length === 3)
    assert.deepNestedInclude(answers()[2]!, { "result.content[0].text": "read" })
    raw('{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"write","arguments":{"n":1}}}')
    await until(() => answers().length === 4)
    assert.deepNestedInclude(answers()[3]!, { "result.content[0].text": "written" })
    const { content } = await client.callTool({ name: "told", arguments: {} })
    assert.notInclude(textOf({ content }), "foo/bar")
    await client.close()
    await ended
  })

  it("answers what was passed to a server that ends, and reads its client no more", async () => {
    const { client, ended, input } = await started()
    const failed = await client.callTool({ name: "die", arguments: {} }).catch((error: Error) => error)
    assert.include(String(failed), "The server has ended without an answer")
    assert.strictEqual((await ended).by, "server")
    assert.isTrue(input.destroyed)
  })

  it("tells of an act that a person has given up that it may have happened", async () => {
    const [input, identity] = ["input: { n: int }", "identity: { scope: goal, fields: [n] }"]
    const recognised = write().replace(/hang: .*/, (line) =>
      line.replace("input: {}", input).replace("identity: none", identity)
    )
    const hang = { name: "hang", arguments: { n: 1 } }
    const first = await started({ pack: recognised, run: "odd" })
    const held = await first.client.callTool(hang)
    const { action } = (held._meta as Record<string, { readonly action: string }>)[field]!
    await first.client.close()
    await first.ended
    const given = { action, as: "abandoned", by: "Ada", evidence: "nobody can tell" } as const
    assert.isTrue((await harness.ask(ReviewDecision.settle(Run.make("odd"), given))).ok)
    const second = await started({ pack: recognised, run: "odd" })
    const again = textOf(await second.client.callTool(hang))
    assert.include(again, "A person gave this up, and it may have happened nevertheless: nobody can tell.")
    assert.notInclude(again, "did not happen")
    await second.client.close()
    await second.ended
  })

  it("passes a cancellation on, answers nothing, and keeps the call on record", async () => {
    const { client, ended, transport } = await started()
    const stop = new AbortController()
    const cancelled = client.callTool({ name: "hang", arguments: {} }, undefined, { signal: stop.signal })
    const sent = async () => textOf(await client.callTool({ name: "told", arguments: {} }))
    while (!(await sent()).includes('\\"hang\\"')) {}
    stop.abort("the user has changed their mind")
    await cancelled.then(
      () => assert.fail("it was cancelled"),
      () => {}
    )
    while (!(await sent()).includes("notifications/cancelled")) {}
    await client.close()
    const { run } = await ended
    assert.strictEqual(transport.received.filter((each) => "result" in each && "isError" in each.result).length, 0)
    const types = (await harness.transitions(run)).map(({ body }) => body.type)
    assert.include(types, "action.started")
    assert.include(types, "recovery.decided")
  })

  it("refuses a whole number that could not be recorded exactly", async () => {
    const { client, ended, raw, transport } = await started()
    raw('{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"write","arguments":{"n":9007199254740993}}}')
    await until(() => transport.received.some((each) => "id" in each && each.id === 77))
    const answer = transport.received.find((each) => "id" in each && each.id === 77)
    assert.include(JSON.stringify(answer), "cannot be recorded exactly")
    await client.close()
    await ended
  })
})
