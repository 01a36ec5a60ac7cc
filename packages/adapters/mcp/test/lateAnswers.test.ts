/** Answers that come after their time: each is evidence about its action, whoever has decided about it meanwhile. */
import { ReviewDecision } from "@backstitch/runtime"
import { Run } from "@backstitch/trace"
import { assert, describe, it } from "@effect/vitest"
import { afterEach, beforeEach } from "vitest"
import { field } from "../src/proxy/reply.ts"
import { fixture, Harness, type Started, textOf } from "./harness.ts"

let harness: Harness
beforeEach(() => {
  harness = new Harness()
})
afterEach(() => harness.remove())

const packOf = (more = "times: { sendWithin: 200ms }") => `
pack: acme.odd
version: 1.0.0
tools:
  late:
    class: low_risk_internal
    input: { n: int, as: { type: string, optional: true } }
    target: none
    identity: { scope: goal, fields: [n] }
    ${more}
    undo: X
  read: { class: read_only, input: {} }
  told: { class: read_only, input: {} }
`
const started = (more?: string, mapping = "") =>
  harness.start({ pack: packOf(more), mapping, command: harness.command(fixture("odd.ts")), run: "odd" })
const late = (n: number, as?: string) => ({ name: "late", arguments: { n, ...(as === undefined ? {} : { as }) } })

const heldBy = async ({ client }: Started, call: ReturnType<typeof late>) => {
  const held = await client.callTool(call)
  assert.include(textOf(held), "Nobody knows yet whether this happened")
  return (held._meta as { readonly [name: string]: { readonly action: string } })[field]!.action
}

const heard = async ({ notes }: Started, action: string) => {
  const isHeard = () => notes.some((each) => each.includes(`has answered about ${action} after its time`))
  for (let tries = 0; !isHeard() && tries < 1000; tries++) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.isTrue(isHeard(), notes.join())
}

const settles = async (action: string, as: "failure" | "reopened") => {
  const given = { action, as, by: "Ada", evidence: "looked" } as const
  return (await harness.ask(ReviewDecision.settle(Run.make("odd"), given))).ok
}

const typesOf = async () => (await harness.transitions("odd")).map(({ body }) => body.type)

describe("an answer after its time", () => {
  it("is kept for the person who decides about the call, and settles it once they reopen it (L5)", async () => {
    const session = await started()
    const { client, ended } = session
    const action = await heldBy(session, late(600))
    await heard(session, action)
    const again = textOf(await client.callTool(late(600)))
    assert.include(again, "it was told since that it was done")
    assert.include(again, `For a person: app resolve odd ${action}`)
    assert.isTrue(await settles(action, "reopened"))
    const done = textOf(await client.callTool(late(600)))
    assert.match(done, /^done\n/)
    assert.include(done, `This was done before, as action ${action}`)
    const { content } = await client.callTool({ name: "told", arguments: {} })
    assert.strictEqual(textOf({ content }).split('\\"late\\"').length - 1, 1)
    await client.close()
    await ended
  })

  it("is on record as a contradiction if a person settled the call otherwise, and nothing is sent again", async () => {
    const session = await started()
    const { client, ended } = session
    const action = await heldBy(session, late(1500))
    assert.isTrue(await settles(action, "failure"))
    await heard(session, action)
    const types = await typesOf()
    assert.include(types, "kernel.anomaly")
    assert.strictEqual(types.at(-1), "review.requested")
    const again = textOf(await client.callTool(late(1500)))
    assert.include(again, "what came since contradicts how it was settled")
    assert.include(again, `For a person: app resolve odd ${action}`)
    assert.notInclude(again, "call the tool again")
    await client.close()
    await ended
  })

  it("settles a call that waits for its record, without a person", async () => {
    const more =
      "idempotency: effectful\n    status: by_key\n    times: { sendWithin: 200ms, settleAfter: 2s, keyRetention: 1h }"
    const mapping = "tools:\n  late: { key: { meta: acme/key }, status: { tool: read, pick: 'null' } }\n"
    const session = await started(more, mapping)
    const { client, ended } = session
    const done = textOf(await client.callTool(late(600)))
    assert.include(done, "This was done before")
    await heard(session, "a2")
    assert.notInclude(await typesOf(), "review.requested")
    await client.close()
    await ended
  })

  it("of a refusal that people vouch for ends the call, which may then be made again", async () => {
    const mapping = "tools:\n  late: { errors: refused }\n"
    const session = await started(undefined, mapping)
    const { client, ended } = session
    const action = await heldBy(session, late(600, "refused"))
    await heard(session, action)
    assert.include(textOf(await client.callTool(late(600, "refused"))), "it was told since that it failed")
    assert.isTrue(await settles(action, "reopened"))
    assert.notStrictEqual(await heldBy(session, late(600, "refused")), action)
    await client.close()
    await ended
  })
})
