import * as Condition from "@backstitch/contracts/Condition"
import type * as Definition from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Yaml from "@backstitch/contracts/Yaml"
import * as Expression from "@backstitch/expressions/Expression"
import * as Discrepancy from "@backstitch/reconciliation/Discrepancy"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Pattern from "../src/Pattern.ts"
import * as VerificationPattern from "../src/VerificationPattern.ts"

/** For each pattern, a record as it ought to be, what is wanted of it, and what the record shows for each failure. */
interface Sample<Name extends Pattern.PatternName> {
  readonly good: JsonObject
  readonly args: JsonObject
  readonly broken: {
    readonly [Id in Pattern.IndicatorOf<Name> | Pattern.ParameterOf<Name>]: JsonObject | null
  }
}

const attendee = { email: "ada@acme.example", invited: true, response: "accepted" }

const samples: { readonly [Name in Pattern.PatternName]: Sample<Name> } = {
  database: {
    good: {
      ...{ version: 8, tenant: "acme", values: { seat: "4" }, locked: false, position: 12 },
      ...{ actor: "agent", audit: ["t0", "t1"] }
    },
    args: { version: 7, tenant: "acme", values: { seat: "4" }, position: 12, actor: "agent", trace: "t1" },
    broken: {
      missing_row: null,
      stale_version: { version: 7 },
      wrong_tenant: { tenant: "umbrella" },
      values_differ: { values: { seat: "5" } },
      lock_timeout: { locked: true },
      freshness_not_guaranteed: { position: 11 },
      actor: { actor: "eve" },
      audited: { audit: ["t0"] }
    }
  },
  filesystem: {
    good: {
      ...{ path: "/srv/box/a.txt", hash: "h1", extension: "txt", mode: "0600", removed: ["/srv/box/old.txt"] },
      ...{ size: 3, link: false }
    },
    args: {
      ...{ root: "/srv/box", hash: "h1", extensions: ["txt"], mode: "0600", removable: ["/srv/box/old.txt"] },
      ...{ paths: ["/srv/box/a.txt"], size: 3 }
    },
    broken: {
      path_escapes: { path: "/srv/boxes/a.txt" },
      missing_file: null,
      hash_differs: { hash: "h2" },
      extension_not_allowed: { extension: "exe" },
      unexpected_mode: { mode: "0777" },
      destructive: { removed: ["/srv/box/old.txt", "/srv/box/b.txt"] },
      allowlisted: { path: "/srv/box/b.txt" },
      size: { size: 4 },
      no_link: { link: true }
    }
  },
  email: {
    good: {
      ...{ status: "delivered", suppressed: false, recipient: "ada@acme.example", count: 1, sender: "us@acme.example" },
      ...{ subjectHash: "s1", bodyHash: "b1", dkim: "pass", dmarc: "pass" }
    },
    args: { recipient: "ada@acme.example", sender: "us@acme.example", subjectHash: "s1", bodyHash: "b1" },
    broken: {
      bounced: { status: "bounced" },
      rejected: { status: "rejected" },
      quarantined: { status: "quarantined" },
      suppressed: { suppressed: true },
      wrong_recipient: { recipient: "eve@acme.example" },
      sent_twice: { count: 2 },
      delivery_unknown: { status: "queued" },
      sender: { sender: "eve@acme.example" },
      subject: { subjectHash: "s2" },
      body: { bodyHash: "b2" },
      delivered: { status: "sent" },
      aligned: { dmarc: "fail" }
    }
  },
  calendar: {
    good: {
      ...{ timezone: "Europe/Zurich", count: 1, attendees: [attendee], access: "writer", conflicts: [] },
      ...{ organizer: "us@acme.example", calendar: "team", start: "09:00", end: "10:00", recurrence: "weekly" },
      ...{ conferencing: "https://meet.example/1", reminders: [10], status: "confirmed" }
    },
    args: {
      ...{ timezone: "Europe/Zurich", access: "writer", organizer: "us@acme.example", calendar: "team" },
      ...{ start: "09:00", end: "10:00", attendees: [attendee.email], recurrence: "weekly" },
      ...{ conferencing: "https://meet.example/1", reminders: [10], status: "confirmed" }
    },
    broken: {
      missing_event: null,
      wrong_timezone: { timezone: "UTC" },
      duplicate_event: { count: 2 },
      invitation_failed: { attendees: [{ ...attendee, invited: false }] },
      permission_mismatch: { access: "reader" },
      conflicting_booking: { conflicts: ["e2"] },
      organizer: { organizer: "eve@acme.example" },
      calendar: { calendar: "eve" },
      time: { end: "11:00" },
      attendees: { attendees: [] },
      accepted: { attendees: [{ ...attendee, response: "declined" }] },
      recurrence: { recurrence: "daily" },
      conferencing: { conferencing: null },
      reminders: { reminders: [] },
      status: { status: "tentative" }
    }
  },
  payments: {
    good: {
      ...{ status: "captured", count: 1, amount: 80, currency: "CHF", refunded: 0, ledger: 80 },
      ...{ id: "p1", key: "k1", account: "a1" }
    },
    args: { amount: 80, currency: "CHF", refunded: 0, id: "p1", account: "a1", status: "captured" },
    broken: {
      declined: { status: "declined" },
      duplicate_charge: { count: 2 },
      amount_differs: { currency: "EUR" },
      pending_too_long: { status: "pending" },
      settlement_failed: { status: "settlement_failed" },
      refund_differs: { refunded: 80 },
      ledgers_diverge: { ledger: 0 },
      transaction: { id: "p2" },
      key: { key: "k2" },
      account: { account: "a2" },
      state: { status: "authorized" }
    }
  },
  ticketing: {
    good: {
      ...{ values: { state: "open" }, assignee: "ada", count: 1, lockedBy: null, basis: 7, history: ["t1"], id: "T1" },
      ...{ tenant: "acme", status: "open", comments: ["hello"], actor: "agent", workflow: "w1", updated: 20 }
    },
    args: {
      ...{ values: { state: "open" }, assignee: "ada", version: 7, trace: "t1", id: "T1", tenant: "acme" },
      ...{ status: "open", comment: "hello", actor: "agent", workflow: "w1", since: 20 }
    },
    broken: {
      field_not_updated: { values: { state: "closed" } },
      wrong_assignee: { assignee: "eve" },
      duplicate_ticket: { count: 2 },
      record_locked: { lockedBy: "eve" },
      stale_state: { basis: 8 },
      no_history_entry: { history: [] },
      object: { id: "T2" },
      tenant: { tenant: "umbrella" },
      status: { status: "closed" },
      comment: { comments: [] },
      actor: { actor: "eve" },
      workflow: { workflow: "w2" },
      timestamp: { updated: 19 }
    }
  },
  deployment: {
    good: {
      ...{ restarts: 0, ready: 3, replicas: 3, rolledBack: false, artifact: "sha1", regions: ["eu", "us"] },
      ...{ errorRate: 0.001, approval: "ok-1", environment: "production", stage: "complete", healthy: true }
    },
    args: {
      ...{ artifact: "sha1", regions: ["eu"], errorRate: 0.01, approval: "ok-1" },
      ...{ environment: "production", stage: "complete" }
    },
    broken: {
      crash_loop: { restarts: 4 },
      not_ready: { ready: 2 },
      rolled_back: { rolledBack: true },
      wrong_artifact: { artifact: "sha2" },
      partial_regions: { regions: ["us"] },
      error_budget_burnt: { errorRate: 0.2 },
      no_approval: { approval: null },
      environment: { environment: "staging" },
      stage: { stage: "canary" },
      healthy: { healthy: false }
    }
  },
  procurement: {
    good: {
      ...{ listed: true, amount: 80, currency: "CHF", remaining: 20, status: "ordered", approvals: ["boss"], count: 1 },
      ...{ id: "O1", vendor: "v1", sku: "s1", allocation: "it", terms: "net30", requester: "agent" }
    },
    args: {
      ...{ amount: 80, currency: "CHF", approver: "boss", id: "O1", vendor: "v1", sku: "s1", allocation: "it" },
      ...{ terms: "net30", requester: "agent" }
    },
    broken: {
      vendor_not_authorized: { listed: false },
      price_differs: { amount: 90 },
      over_budget: { remaining: -1 },
      no_approval: { approvals: [] },
      duplicate_order: { count: 2 },
      rejected: { status: "rejected" },
      order: { id: "O2" },
      item: { sku: "s2" },
      allocation: { allocation: "hr" },
      terms: { terms: "net90" },
      requester: { requester: "eve" }
    }
  },
  browser: {
    good: {
      ...{ element: true, captcha: false, errors: [], url: "/done", account: "ada", hash: "h1" },
      ...{ values: { city: "Bern" }, banner: null, confirmed: true }
    },
    args: { url: "/done", account: "ada", hash: "h1", values: { city: "Bern" } },
    broken: {
      element_missing: { element: false },
      captcha: { captcha: true, element: false, url: "/check", account: null },
      wrong_page: { url: "/login", account: null },
      form_invalid: { errors: ["city"] },
      wrong_account: { account: "eve" },
      hash_differs: { hash: "h2" },
      values: { values: { city: "Basel" } },
      no_banner: { banner: "Something went wrong" },
      confirmed: { confirmed: false }
    }
  },
  security: {
    good: {
      ...{ scopes: ["read"], principal: "ada", audit: ["t1"], tokenVersion: 3, policyVersion: 3 },
      ...{ diff: ["+read"], approval: "ok-1", actor: "agent" }
    },
    args: {
      ...{ scopes: ["read", "list"], principal: "ada", trace: "t1", policyVersion: 3, granted: ["read"] },
      ...{ removed: ["write"], diff: ["+read"], approval: "ok-1", actor: "agent" }
    },
    broken: {
      escalated: { scopes: ["read", "admin"] },
      wrong_principal: { principal: "eve" },
      no_audit_event: { audit: [] },
      wildcard: { scopes: ["read", "storage:*"] },
      stale_token: { tokenVersion: 2 },
      policy_differs: { policyVersion: 4, tokenVersion: 4 },
      granted: { scopes: ["list"] },
      removed: { scopes: ["read", "write"] },
      diff: { diff: ["+read", "+list"] },
      approval: { approval: null },
      actor: { actor: "eve" }
    }
  },
  queue: {
    good: {
      ...{ status: "done", count: 1, overtaken: [], downstream: { seat: "4" }, topic: "seats", id: "m1", key: "k1" },
      ...{ group: "desk" }
    },
    args: { topic: "seats", id: "m1", group: "desk", state: { seat: "4" } },
    broken: {
      stuck: { status: "queued", downstream: null },
      duplicate: { count: 2 },
      dead_letter: { status: "dead_letter", downstream: null },
      consumer_failed: { status: "failed", downstream: null },
      out_of_order: { overtaken: ["m0"] },
      no_downstream_state: { downstream: null },
      topic: { topic: "meals" },
      message: { id: "m2" },
      key: { key: "k2" },
      group: { group: "kitchen" },
      state: { downstream: { seat: "5" } }
    }
  },
  vector_index: {
    good: {
      ...{ embedding: "e1", index: "i1", readers: ["ada"], retrieved: true, id: "d1", checksum: "c1", snapshot: "s1" }
    },
    args: { embedding: "e1", index: "i1", readers: ["ada"], id: "d1", checksum: "c1", snapshot: "s1" },
    broken: {
      missing_document: null,
      wrong_embedding: { embedding: "e0" },
      stale_index: { index: "i0" },
      permission_leak: { readers: ["ada", "eve"] },
      not_retrieved: { retrieved: false },
      document: { id: "d2" },
      checksum: { checksum: "c2" },
      snapshot: { snapshot: "s0" },
      readable: { readers: [] }
    }
  }
}

type Parameter = Pattern.ParameterOf<Pattern.PatternName>

const names = Object.keys(samples) as ReadonlyArray<Pattern.PatternName>

/** A readback that confirms everything a pattern knows, or some of its parameters; what is wanted is in `args`. */
const readbackOf = (name: Pattern.PatternName, confirm?: ReadonlyArray<string>) => {
  const all = Object.keys(Pattern.patterns[name].parameters) as ReadonlyArray<Parameter>
  const chosen = all.filter((id) => confirm === undefined || confirm.includes(id))
  const wants = VerificationPattern.wants(name, chosen).map((want) => [want, `args.${want}`] as const)
  return Result.getOrThrow(
    VerificationPattern.readback(name, { wants: Object.fromEntries(wants), confirm: chosen, within: "30s" })
  )
}

/** The expectations of a readback over a record, as the kernel evaluates them. */
const judged = (
  name: Pattern.PatternName,
  actual: Json,
  confirm?: ReadonlyArray<string>
): ReadonlyArray<Discrepancy.Predicate> =>
  readbackOf(name, confirm).expect.map((each) => {
    if (typeof each !== "object" || !("holds" in each)) return assert.fail("a bare condition")
    const compiled = Expression.compile(String(each.holds), {
      names: { actual: "any", args: "any", key: { type: "string" } },
      expects: "bool"
    })
    const condition = { _tag: "Expression", expression: Result.getOrThrow(compiled) } as const
    const held = Condition.holds(condition, { actual, args: samples[name].args, key: "k1" })
    return {
      source: String(each.holds),
      held: Result.isSuccess(held) ? held.success : null,
      indicator: each.id,
      otherwise: each.otherwise
    }
  })

const classified = (predicates: ReadonlyArray<Discrepancy.Predicate>, isAbsent: boolean) =>
  Discrepancy.classify({
    intended: { predicates },
    requested: {},
    observed: "success",
    authoritative: isAbsent
      ? { _tag: "Absent", existed: false }
      : { _tag: "Shown", scope: {}, changed: true, effects: 1 },
    scope: {},
    conditions: { withinDelay: false, maybeStale: false }
  })

describe("VerificationPattern", () => {
  it("knows twelve kinds of systems, and the failures of each", () => {
    const counts = names.map((name) => Object.keys(Pattern.patterns[name].indicators).length)
    assert.sameMembers(Object.keys(Pattern.patterns), names as Array<string>)
    assert.deepStrictEqual(counts, [6, 6, 7, 6, 7, 6, 7, 6, 6, 6, 6, 5])
  })

  for (const name of names) {
    const { broken, good } = samples[name]
    const { indicators, parameters }: Pattern.Pattern = Pattern.patterns[name]

    it(`confirms what is as wanted: ${name}`, () => {
      const unmet = judged(name, good).filter(({ held }) => held !== true)
      assert.deepStrictEqual(unmet, [])
    })

    for (const [id, { otherwise }] of Object.entries({ ...indicators, ...parameters })) {
      it(`notices in ${name}, by its name and class: ${id}`, () => {
        const shown = (broken as Readonly<Record<string, JsonObject | null>>)[id]!
        const confirm = Object.hasOwn(parameters, id) ? [id] : []
        const found = classified(judged(name, shown && { ...good, ...shown }, confirm), shown === null)
        assert.strictEqual(found?.class, otherwise)
        assert.isTrue(found?.evidence.some(({ indicator }) => indicator === id))
      })
    }

    it(`confirms nothing from a record that leaves out a field of ${name}`, () => {
      const confirm = Object.keys(parameters) as ReadonlyArray<Parameter>
      for (const field of VerificationPattern.fields(name, confirm)) {
        const { [field]: _, ...less } = good
        const predicates = judged(name, less)
        assert.isFalse(
          predicates.every(({ held }) => held === true),
          field
        )
      }
    })

    it(`makes a readback that a pack takes, in code and in a file: ${name}`, () => {
      const wants = Object.keys(samples[name].args).map((want) => [want, "json"] as const)
      const tool: Definition.ToolDefinition = {
        class: "high_risk_external",
        idempotency: "effectful",
        identity: "none",
        input: Object.fromEntries(wants),
        readback: readbackOf(name),
        undo: { class: "X" }
      }
      const definition = { pack: "acme.pattern", version: "1.0.0", state: { world: {}, working: {} }, tools: { tool } }
      const pack = Result.getOrThrow(TaskPack.make(definition))
      const file = Result.getOrThrow(Yaml.fromYaml(JSON.stringify(definition, null, 2), { file: "pattern.yaml" }))
      assert.strictEqual(file.digest, pack.digest)
    })
  }

  it("names what is left open, and takes it where the failure cannot occur", () => {
    const open = VerificationPattern.readback("email", { confirm: ["sender"] })
    assert.isTrue(Result.isFailure(open) && open.failure.message.includes("recipient, sender"))
    assert.isTrue(Result.isSuccess(VerificationPattern.readback("email", { without: ["wrong_recipient"] })))
  })

  it("says where its record comes from, so that a class may not admit it, and takes further sources", () => {
    const sources = [{ source: "journal", from: "immutable_ledger", expect: "actual.paid" }] as const
    const readback = VerificationPattern.readback("email", { without: ["wrong_recipient"], sources })
    assert.deepInclude(Result.getOrThrow(readback), { source: "email", from: "provider_status", sources })
  })

  it("keeps the meaning of an expression that is filled in, and adds what the business wants", () => {
    const readback = VerificationPattern.readback("database", {
      wants: { tenant: "'acme'", version: "args.version + 1", values: "args.values" },
      without: ["lock_timeout", "freshness_not_guaranteed", "values_differ"],
      also: ["actual.price <= 600"]
    })
    assert.deepStrictEqual(Result.getOrThrow(readback).expect, [
      { id: "missing_row", holds: "actual != null", otherwise: "no_op_failure" },
      { id: "stale_version", holds: "actual.version > (args.version + 1)", otherwise: "stale_state" },
      { id: "wrong_tenant", holds: "actual.tenant == 'acme'", otherwise: "wrong_target_modified" },
      "actual.price <= 600"
    ])
  })
})
