/** An answer of the user that a client of the version without sessions sends with another call: messages by hand. */
import { PendingApprovals, ReviewDecision } from "@backstitch/runtime"
import { Run } from "@backstitch/trace"
import { assert, describe, it } from "@effect/vitest"
import { afterEach, beforeEach } from "vitest"
import { fixture, Harness, type Started } from "./harness.ts"

let harness: Harness
beforeEach(() => {
  harness = new Harness()
})
afterEach(() => harness.remove())

const pack = `
pack: acme.odd
version: 1.0.0
tools:
  write: { class: low_risk_internal, input: { n: int }, target: none, identity: { scope: run, fields: [n] }, undo: X }
approvals:
  write: { when: args.n > 5, by: [operator] }
`
const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "editor", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } }
}

interface Result {
  readonly [name: string]: unknown
  readonly inputRequests: { readonly [name: string]: { readonly params: { readonly message: string } } }
}

const answers = async ({ raw, transport }: Started, id: number, params: object) => {
  raw(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { ...params, _meta: meta } }))
  for (let tries = 0; tries < 1000; tries++) {
    const found = transport.received.find((each) => "id" in each && each.id === id)
    if (found !== undefined && "result" in found) return found.result as Result
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error("no answer came")
}

const started = (own: { readonly run?: string; readonly pack?: string } = {}) =>
  harness.start({
    ...{ pack, ...own, mapping: "", command: harness.command(fixture("odd.ts")), handshake: false },
    approver: { by: "Ada", role: "operator" }
  })

describe("a version without sessions", () => {
  it("asks the person by a result, and takes the answer with the next call", async () => {
    const session = await started()
    const call = { name: "write", arguments: { n: 9 } }
    const asked = await answers(session, 1, call)
    assert.strictEqual(asked["resultType"], "input_required")
    const [[name, request] = []] = Object.entries<{ readonly params: { readonly message: string } }>(
      asked.inputRequests
    )
    assert.include(request?.params.message, '"n": 9')
    const inputResponses = { [name!]: { action: "accept", content: { decision: "approve" } } }
    const changed = await answers(session, 2, { name: "write", arguments: { n: 10 }, inputResponses })
    assert.strictEqual(changed["resultType"], "input_required")
    const done = await answers(session, 3, { ...call, inputResponses })
    assert.deepStrictEqual<unknown>(done, { content: [{ type: "text", text: "written" }] })
    await session.transport.close()
    await session.ended
  })

  it("takes no answer to a question that was asked before: an approval that has expired is not renewed", async () => {
    const run = "expiring"
    const session = await started({ run, pack: pack.replace("by: [operator]", "by: [operator], expires: 1s") })
    const call = { name: "write", arguments: { n: 9 } }
    const [first] = Object.keys((await answers(session, 1, call)).inputRequests)
    const [waiting] = await harness.ask(PendingApprovals.ofTenant(Run.make(run).tenant))
    assert.include(first, waiting?.digest)
    const approved = { by: "Bea", role: "operator", review: waiting!.review, verdict: "approved" } as const
    assert.isTrue((await harness.ask(ReviewDecision.decide(Run.make(run), approved))).ok)
    await new Promise((resolve) => setTimeout(resolve, 1100))
    const inputResponses = { [first!]: { action: "accept", content: { decision: "approve" } } }
    const again = await answers(session, 2, { ...call, inputResponses })
    assert.strictEqual(again["resultType"], "input_required")
    assert.notInclude(Object.keys(again.inputRequests), first)
    await session.transport.close()
    await session.ended
  })
})
