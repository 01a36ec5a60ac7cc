/** The column of review triggers: what happened brings in a person exactly where the class says so. */
import type * as Definition from "@backstitch/contracts/Definition"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as VerificationDepth from "@backstitch/reconciliation/VerificationDepth"
import type { Json } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import type { Evidence } from "../src/decision/Evidence.ts"
import * as Payload from "../src/payload/Payload.ts"
import * as Reviews from "../src/review/Reviews.ts"
import * as ReviewTrigger from "../src/review/ReviewTrigger.ts"
import { Bench, call, ok } from "./lab.ts"

type Trigger = Exclude<VerificationDepth.Trigger, "always">

const record = (more: { readonly [name: string]: Json } = {}): Evidence =>
  ok({ to: "x", value: 1, tenant: "default", inside: true, path: "x", version: 1, ...more })

const lost: Evidence = { _tag: "Unknown", reason: "nobody answered" }

const expect = [
  "actual.to == args.to",
  { id: "value", holds: "actual.value != 2" },
  { id: "escaped", holds: "actual.inside", otherwise: "wrong_target_modified", checks: "no_escape" },
  { id: "elsewhere", holds: "actual.path == args.to", otherwise: "wrong_target_modified" },
  { id: "twice", holds: "actual.value != 4", otherwise: "duplicate_side_effect" }
] as const

/** A tool of a class, and a contract that looks at everything that a trigger rests on. */
const bench = (sideEffect: ToolContract.SideEffect): Bench => {
  const isRead = sideEffect === "read_only"
  const act: Definition.ToolDefinition = {
    class: sideEffect,
    input: { to: "string" },
    ...(isRead
      ? {}
      : {
          idempotency: "idempotent_write",
          target: "'x/' + args.to",
          identity: { scope: "run", fields: ["to"] },
          times: { sendWithin: "1s", settleAfter: "1s", keyRetention: "1h" },
          status: "by_key"
        }),
    readback: {
      source: "record",
      within: "2s",
      scope: { tenant: "actual.tenant" },
      ...(isRead
        ? {}
        : {
            before: "permit",
            version: { planned: "1", actual: "actual.version" },
            parts: { first: "actual.value >= 0", second: "actual.value != 3" }
          }),
      expect,
      sources:
        isRead || sideEffect !== "critical_mutation"
          ? []
          : [{ source: "second", expect: [...expect, "actual.value != 3"] }]
    },
    undo: isRead ? "I" : "X"
  }
  return new Bench({ changes: { tools: { act }, guards: [], approvals: {}, violations: [], reducers: { on: {} } } })
}

/** The events of each trigger: the record before, and what happened then. */
const happens: { readonly [Name in Trigger]: (self: Bench, action: string, isRead: boolean) => void } = {
  wrong_tenant: (self, action, isRead) => shows(self, action, isRead, record({ tenant: "umbrella" })),
  policy_violation: (self, action, isRead) => shows(self, action, isRead, record({ path: "/etc/passwd" })),
  sandbox_escape: (self, action) => shows(self, action, false, record({ inside: false })),
  destructive: (self, action) => shows(self, action, false, { _tag: "NotFound" }, record({ to: "y", value: 2 })),
  mismatch: (self, action) => shows(self, action, false, record({ value: 2 })),
  repeated_mismatch: (self, action) => {
    shows(self, action, false, record({ value: 2 }))
    self.reopens(action)
    reads(self, action, record({ value: 2 }))
  },
  partial: (self, action) => shows(self, action, false, record({ value: 3 })),
  stale_state: (self, action) => before(self, action, record({ to: "y", version: 2 })),
  declined: (self, action) => {
    before(self, action, { _tag: "NotFound" })
    self.answers(action, { _tag: "Error", error: "declined" })
  },
  duplicate: (self, action) => shows(self, action, false, record({ value: 4 })),
  unreachable: (self, action) => shows(self, action, false, lost),
  timeout: (self, action) => shows(self, action, false, { _tag: "Pending" })
}

const before = (self: Bench, action: string, evidence: Evidence) => self.does({ _tag: "ReadBefore", action, evidence })

const reads = (self: Bench, action: string, evidence: Evidence) => {
  self.now += 60_000
  const others = [{ source: "second", evidence }]
  return self.does({ _tag: "ReadBack", action, evidence, others })
}

const shows = (
  self: Bench,
  action: string,
  isRead: boolean,
  evidence: Evidence,
  was: Evidence = { _tag: "NotFound" }
) => {
  if (isRead) return self.answers(action, evidence)
  before(self, action, was)
  self.answers(action, ok({ taken: true }))
  return reads(self, action, evidence)
}

/** Begins an action of a class; what is critical is approved before, and what happened is looked at all the same. */
const begun = (sideEffect: ToolContract.SideEffect): readonly [Bench, string] => {
  const self = bench(sideEffect)
  const proposal = { tool: "act", params: { to: "x" } }
  const first = self.proposes(proposal)
  if (first.next._tag === "End" && first.next.outcome._tag === "Parked") {
    const { review } = first.next.outcome
    const data = { review, verdict: "approved", by: "Grace", role: "operator" }
    self.proposes({ type: "review.decided", author: "user", data })
    return [self, "request" in self.proposes(proposal).next ? actionOf(self) : ""]
  }
  return [self, "request" in first.next ? first.next.request.action : call(first).action]
}

const actionOf = (self: Bench): string =>
  Object.keys(OpenActions.of(self.state)).at(-1) ?? assert.fail("nothing is open")

const asked = (self: Bench, action: string): ReadonlyArray<string> =>
  Reviews.ofVerification(self.state).flatMap(([, review]) => (review.action === action ? (review.triggers ?? []) : []))

const pairs = ToolContract.sideEffects.flatMap((sideEffect) =>
  VerificationDepth.of(sideEffect).review.flatMap((trigger) =>
    trigger === "always"
      ? (Object.keys(happens) as ReadonlyArray<Trigger>).map((each) => [sideEffect, each] as const)
      : [[sideEffect, trigger] as const]
  )
)

describe("ReviewTrigger", () => {
  it.each(pairs)("brings in a person where a %s meets %s (Action Verification)", (sideEffect, trigger) => {
    const [self, action] = begun(sideEffect)
    happens[trigger](self, action, sideEffect === "read_only")
    assert.include(asked(self, action), trigger)
    const review = self.transitions.find(({ body }) => body.data?.["subject"] === Reviews.subject)
    assert.strictEqual(review?.body.type, "review.requested")
    assert.deepInclude(review?.body.data?.["why"], { args: { class: sideEffect } })
  })

  const writes = ToolContract.sideEffects.filter((each) => each !== "read_only" && each !== "critical_mutation")
  const others = writes.flatMap((sideEffect) =>
    (Object.keys(happens) as ReadonlyArray<Trigger>).flatMap((trigger) =>
      VerificationDepth.of(sideEffect).review.includes(trigger) ? [] : [[sideEffect, trigger] as const]
    )
  )

  it.each(others)("names no trigger that is not of its class: a %s that meets %s", (sideEffect, trigger) => {
    const [self, action] = begun(sideEffect)
    happens[trigger](self, action, false)
    assert.notInclude(asked(self, action), trigger)
  })

  it("asks once, however often the same event occurs", () => {
    const [self, action] = begun("high_risk_external")
    happens.unreachable(self, action, false)
    reads(self, action, lost)
    assert.lengthOf(Reviews.ofVerification(self.state), 1)
  })

  it("is over once the action is proven, and never before", () => {
    const [self, action] = begun("high_risk_external")
    happens.unreachable(self, action, false)
    assert.sameMembers([...asked(self, action)], ["unreachable", "timeout"])
    reads(self, action, record())
    assert.notProperty(OpenActions.of(self.state), action)
    assert.deepStrictEqual(Reviews.ofVerification(self.state), [])
  })

  it("stays at the failed action until a person has noted it", () => {
    const [self, action] = begun("high_risk_external")
    happens.declined(self, action, false)
    assert.deepStrictEqual(asked(self, action), ["declined"])
    const data = { action, as: "noted", by: "Ada", evidence: "the card has expired" }
    self.proposes({ type: "review.decided", author: "user", data })
    assert.deepStrictEqual(Reviews.ofVerification(self.state), [])
  })

  it("freezes an action that the recovery table leaves to a person, and no other", () => {
    const [held, waiting] = begun("high_risk_external")
    happens.unreachable(held, waiting, false)
    assert.notStrictEqual(OpenActions.of(held.state)[waiting]?.state, "review_required")
    const [stopped, action] = begun("high_risk_external")
    happens.mismatch(stopped, action, false)
    assert.strictEqual(OpenActions.of(stopped.state)[action]?.state, "review_required")
    const { length } = stopped.transitions
    reads(stopped, action, record())
    stopped.does({ _tag: "Recover", action })
    stopped.answers(action, record(), "status")
    assert.lengthOf(stopped.transitions, length)
    stopped.reopens(action)
    reads(stopped, action, record())
    assert.notProperty(OpenActions.of(stopped.state), action)
  })

  it("keeps nothing of an answer from behind a boundary", () => {
    const [self, action] = begun("read_only")
    happens.wrong_tenant(self, action, true)
    assert.notInclude(JSON.stringify(self.transitions), '"value":1')
    assert.strictEqual(self.last.body.result?.status, "error")
  })

  it("finds nothing in a success", () => {
    const [self, action] = begun("high_risk_external")
    before(self, action, { _tag: "NotFound" })
    self.answers(action, ok({ taken: true }))
    reads(self, action, record())
    const found = self.transitions.map(({ body }) => {
      const answered = Payload.of(body, "action.result") && body
      const verified = Payload.of(body, "action.verified") && body
      return ReviewTrigger.of(self.pack.tools["act"]!, { answered, verified }, { action, mismatches: 0 })
    })
    assert.deepStrictEqual(found.flat(), [])
  })

  it("calls a first contradiction none that is repeated", () => {
    const verified = { action: { id: "a2" }, result: { status: "mismatch" } } as const
    const of = (mismatches: number) =>
      ReviewTrigger.of(ToolContract.unknown("act"), { verified }, { action: "a2", mismatches })
    assert.deepStrictEqual(of(0), ["mismatch"])
    assert.deepStrictEqual(of(1), ["mismatch", "repeated_mismatch"])
  })

  it("takes a decision for silence of the world only if it rests on a call or a question", () => {
    const of = (via: "call" | "readback" | "silence" | "status" | undefined) => {
      const data = { decision: "review", read: "unknown", ...(via === undefined ? {} : { via }) } as const
      const content = { recovery: { action: { id: "a2" }, data } }
      return ReviewTrigger.of(ToolContract.unknown("act"), content, { action: "a2", mismatches: 0 })
    }
    assert.deepStrictEqual(
      [of("call"), of("status")],
      [
        ["unreachable", "timeout"],
        ["unreachable", "timeout"]
      ]
    )
    assert.deepStrictEqual([of("readback"), of(undefined)], [[], []])
  })
})
