import * as Condition from "@backstitch/contracts/Condition"
import * as Expression from "@backstitch/contracts/Expression"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Discrepancy from "../src/Discrepancy.ts"
import * as VerificationPattern from "../src/VerificationPattern.ts"

/** For each pattern, a record as it ought to be. What is wanted is in `args`. */
const good: { readonly [Name in VerificationPattern.PatternName]: JsonObject } = {
  database: { exists: true, version: 8, tenant: "acme", values: { seat: "4" }, locked: false, fresh: true },
  filesystem: { path: "/srv/box/a.txt", exists: true, hash: "h1", extension: "txt", mode: "0600", removed: 0 },
  email: { status: "delivered", suppressed: false, recipient: "ada@acme.example", count: 1 },
  calendar: { exists: true, timezone: "Europe/Zurich", count: 1, uninvited: 0, calendar: "ada", conflicts: 0 },
  payments: { status: "captured", count: 1, amount: 80, currency: "CHF", refunded: 0, ledger: 80 },
  ticketing: { values: { state: "open" }, assignee: "ada", count: 1, locked: false, version: 8, logged: true },
  deployment: {
    restarts: 0,
    ready: 3,
    replicas: 3,
    rolledBack: false,
    artifact: "sha1",
    regions: ["eu"],
    errorRate: 0.001,
    approval: "ok-1"
  },
  procurement: { vendor: "v1", sku: "s1", amount: 80, budget: 100, approved: true, count: 1, status: "ordered" },
  browser: { element: true, captcha: false, url: "/done", errors: 0, account: "ada", hash: "h1" },
  security: { scopes: ["read"], principal: "ada", logged: true, tokenVersion: 3, policyVersion: 3 },
  queue: { status: "done", count: 1, deadLetter: false, position: 8, downstream: true },
  vector_index: { exists: true, embedding: "e1", index: "i1", readers: ["ada"], retrieved: true }
}

const args: JsonObject = {
  ...Object.assign({}, ...Object.values(good)),
  version: 7,
  values: { seat: "4" },
  root: "/srv/box/",
  extensions: ["txt"],
  errorRate: 0.01,
  after: 7
}
const argsFor = (name: VerificationPattern.PatternName): JsonObject => {
  const own = name === "ticketing" ? { values: { state: "open" } } : {}
  return { ...args, hash: "h1", amount: 80, ...own }
}

/** For each failure, what the record shows instead. */
const broken: {
  readonly [Name in VerificationPattern.PatternName]: {
    readonly [Indicator in VerificationPattern.IndicatorOf<Name>]: JsonObject
  }
} = {
  database: {
    missing_row: { exists: false },
    stale_version: { version: 7 },
    wrong_tenant: { tenant: "umbrella" },
    values_differ: { values: { seat: "5" } },
    lock_timeout: { locked: true },
    freshness_not_guaranteed: { fresh: false }
  },
  filesystem: {
    path_escapes: { path: "/etc/passwd" },
    missing_file: { exists: false },
    hash_differs: { hash: "h2" },
    extension_not_allowed: { extension: "exe" },
    unexpected_mode: { mode: "0777" },
    destructive: { removed: 3 }
  },
  email: {
    bounced: { status: "bounced" },
    rejected: { status: "rejected" },
    quarantined: { status: "quarantined" },
    suppressed: { suppressed: true },
    wrong_recipient: { recipient: "eve@acme.example" },
    sent_twice: { count: 2 },
    delivery_unknown: { status: "queued" }
  },
  calendar: {
    missing_event: { exists: false },
    wrong_timezone: { timezone: "UTC" },
    duplicate_event: { count: 2 },
    invitation_failed: { uninvited: 1 },
    wrong_calendar: { calendar: "eve" },
    conflicting_booking: { conflicts: 1 }
  },
  payments: {
    declined: { status: "declined" },
    duplicate_charge: { count: 2 },
    amount_differs: { currency: "EUR" },
    pending_too_long: { status: "pending" },
    settlement_failed: { status: "settlement_failed" },
    refund_differs: { refunded: 80 },
    ledgers_diverge: { ledger: 0 }
  },
  ticketing: {
    field_not_updated: { values: { state: "closed" } },
    wrong_assignee: { assignee: "eve" },
    duplicate_ticket: { count: 2 },
    record_locked: { locked: true },
    stale_state: { version: 7 },
    no_history_entry: { logged: false }
  },
  deployment: {
    crash_loop: { restarts: 4 },
    not_ready: { ready: 2 },
    rolled_back: { rolledBack: true },
    wrong_artifact: { artifact: "sha2" },
    partial_regions: { regions: [] },
    error_budget_burnt: { errorRate: 0.2 },
    no_approval: { approval: "none" }
  },
  procurement: {
    vendor_not_authorized: { vendor: "v2" },
    price_differs: { amount: 90 },
    over_budget: { budget: 10 },
    no_approval: { approved: false },
    duplicate_order: { count: 2 },
    rejected: { status: "rejected" }
  },
  browser: {
    element_missing: { element: false },
    captcha: { captcha: true },
    wrong_page: { url: "/login" },
    form_invalid: { errors: 1 },
    wrong_account: { account: "eve" },
    hash_differs: { hash: "h2" }
  },
  security: {
    escalated: { scopes: ["read", "admin"] },
    wrong_principal: { principal: "eve" },
    no_audit_event: { logged: false },
    wildcard: { scopes: ["*"] },
    stale_token: { tokenVersion: 2 },
    policy_differs: { policyVersion: 2 }
  },
  queue: {
    stuck: { status: "queued" },
    duplicate: { count: 2 },
    dead_letter: { deadLetter: true },
    consumer_failed: { status: "failed" },
    out_of_order: { position: 6 },
    no_downstream_state: { downstream: false }
  },
  vector_index: {
    missing_document: { exists: false },
    wrong_embedding: { embedding: "e0" },
    stale_index: { index: "i0" },
    permission_leak: { readers: ["ada", "eve"] },
    not_retrieved: { retrieved: false }
  }
}

const names = Object.keys(good) as ReadonlyArray<VerificationPattern.PatternName>
const wantsOf = (name: VerificationPattern.PatternName) =>
  Object.fromEntries(VerificationPattern.wants(name).map((want) => [want, `args.${want}`]))
const expectationsOf = (name: VerificationPattern.PatternName): ReadonlyArray<string> =>
  Result.getOrThrow(VerificationPattern.readback(name, { wants: wantsOf(name) })).expect as ReadonlyArray<string>

/** Which expectations a record meets, in order. */
const held = (name: VerificationPattern.PatternName, actual: Json): ReadonlyArray<boolean> =>
  expectationsOf(name).map((source) => {
    const compiled = Expression.compile(source, { names: { actual: "any", args: "any" }, expects: "bool" })
    const condition = { _tag: "Expression", expression: Result.getOrThrow(compiled) } as const
    return Result.getOrElse(Condition.holds(condition, { actual, args: argsFor(name) }), () => false)
  })

describe("VerificationPattern", () => {
  it("knows twelve kinds of systems", () => {
    assert.sameMembers(Object.keys(VerificationPattern.patterns), names as Array<string>)
    assert.strictEqual(names.length, 12)
    for (const { indicators } of Object.values(VerificationPattern.patterns)) {
      for (const indicator of Object.values(indicators)) assert.include(Discrepancy.classes, indicator.class)
    }
  })

  for (const name of names) {
    it(`confirms what is as wanted: ${name}`, () => {
      assert.isTrue(held(name, good[name]).every(Boolean), String(held(name, good[name])))
    })

    for (const [index, indicator] of Object.keys(VerificationPattern.patterns[name].indicators).entries()) {
      it(`notices in ${name}: ${indicator.replaceAll("_", " ")}`, () => {
        const shown = (broken[name] as Readonly<Record<string, JsonObject>>)[indicator]
        assert.isFalse(held(name, { ...good[name], ...shown })[index])
      })
    }

    it(`confirms nothing from a record that leaves out a field of ${name}`, () => {
      for (const field of VerificationPattern.fields(name)) {
        const { [field]: _, ...less } = good[name]
        assert.isFalse(held(name, less).every(Boolean), field)
      }
    })
  }

  it("names what is left open, and takes it where the failure cannot occur", () => {
    const open = VerificationPattern.readback("email")
    assert.isTrue(Result.isFailure(open) && open.failure.message.includes("recipient"))
    assert.isTrue(Result.isSuccess(VerificationPattern.readback("email", { without: ["wrong_recipient"] })))
  })

  it("keeps the meaning of an expression that is filled in, and adds what the business wants", () => {
    const readback = VerificationPattern.readback("database", {
      wants: { tenant: "'acme'", version: "args.version + 1", values: "args.values" },
      without: ["lock_timeout", "freshness_not_guaranteed", "values_differ"],
      also: ["actual.price <= 600"]
    })
    assert.deepStrictEqual(Result.getOrThrow(readback).expect, [
      "actual.exists == true",
      "actual.version > (args.version + 1)",
      "actual.tenant == 'acme'",
      "actual.price <= 600"
    ])
  })

  it("makes a readback that a pack takes as it is", () => {
    const readback = Result.getOrThrow(
      VerificationPattern.readback("payments", {
        wants: { amount: "args.amount", currency: "'CHF'", refunded: "0" },
        within: "30s"
      })
    )
    const pack = TaskPack.make({
      pack: "acme.pay",
      version: "1.0.0",
      state: { world: {}, working: {} },
      tools: {
        pay: {
          class: "high_risk_external",
          idempotency: "effectful",
          identity: "none",
          input: { amount: "int" },
          readback,
          undo: { class: "X" }
        }
      }
    })
    assert.isTrue(Result.isSuccess(pack), String(Result.isFailure(pack) && pack.failure.message))
  })
})
