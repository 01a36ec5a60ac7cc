import * as Digest from "@backstitch/trace/Digest"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as ApprovalCard from "../src/said/ApprovalCard.ts"

const answer = { verb: "decide", run: "trip", review: "r1", needs: ["manager"], digest: Digest.zero } as const

const card: ApprovalCard.ApprovalCard = {
  run: "trip",
  review: "r1",
  tool: "pay",
  params: { iban: "CH93-secret", price: 40 },
  withheld: false,
  digest: answer.digest,
  needs: ["manager"],
  why: "Ada broke the glass for pay: a secret reason",
  permits: "A yes permits this call of pay with these arguments, and no other.",
  expiresMillis: 60_000,
  tick: 9,
  since: "2026-11-27T10:00:00.000Z",
  changed: [{ path: "iban", approved: '"CH00-secret"', asked: '"CH93-secret"', by: "Ada", review: "r0" }],
  moved: [{ path: "world.secret", asked: "1-secret", now: "2-secret" }],
  revised: [{ path: "clause.secret", asked: "1-secret", now: "2-secret" }],
  unfit: [{ clause: "secret", condition: "args.iban == clause.secret" }],
  before: "the approval of secret has expired",
  after: null,
  approve: { ...answer, as: "approved" },
  deny: { ...answer, as: "denied" },
  breakGlass: null
}

describe("ApprovalCard", () => {
  it("is plain JSON, and is read as it was written", () => {
    const text = JSON.stringify(Schema.encodeSync(ApprovalCard.ApprovalCard)(card))
    assert.deepStrictEqual(Schema.decodeUnknownSync(ApprovalCard.ApprovalCard)(JSON.parse(text)), card)
  })

  it("keeps its question when it is withheld, and nothing that somebody has written", () => {
    const bare = ApprovalCard.withheld(card)
    assert.notInclude(JSON.stringify(bare), "secret")
    const { approve, digest, expiresMillis, needs, permits, tool } = card
    assert.deepInclude(bare, { approve, digest, expiresMillis, needs, permits, tool, params: null, withheld: true })
  })
})
