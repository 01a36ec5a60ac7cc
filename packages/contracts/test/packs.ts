/** Two packs that tests share: a trip with money in it, and a claims adjuster without a state section. */

export const travel = `pack: acme.trips
version: 2.0.1
description: Trips by rail
state:
  world:
    tickets: { table: { key: code, row: { status: { enum: [held, issued, void] }, fare: { decimal: 2 } } } }
    paid: { decimal: 2 }
  working: { route: { type: string, nullable: true }, notes: { list: string } }
specification:
  fare_limit: { holds: world.paid <= clause.fare_limit, value: { decimal: 2 } }
  no_night: { holds: "clause.no_night == false || working.route != 'night'", value: bool, default: false }
transitions:
  issue_ticket:
    required_state: [world.paid, working.route]
    hash_seeds: [world.paid]
    advisory: [working.route]
tools:
  find_trains: { class: read_only, input: { from: string, to: string } }
  issue_ticket:
    class: high_risk_external
    input: { train: string, rider: string, fare: { decimal: 2 } }
    output: { code: string, fare: { decimal: 2 }, refundable: bool }
    target: "'train/' + args.train"
    identity: { scope: goal, fields: [{ train: code }, { rider: name }] }
    times: { sendWithin: 10s, settleAfter: 2m, keyRetention: 24h }
    status: by_key
    readback:
      source: rail ledger
      expect: ["actual.status == 'issued'", "actual.fare == observed.fare", actual.train == args.train, actual.key == key]
      within: 30s
      poll: 500ms
    waives: { tenant: the railway sells to everybody }
    undo: { class: K, by: void_ticket, with: { code: observed.code }, narrows: "observed.refundable ? 'R' : 'K'" }
    reads: [working.route]
    writes: [world.tickets, world.paid]
    assumes: [fare_limit]
    on_reconciled:
      - put: { table: world.tickets, key: observed.code, row: { status: actual.status, fare: observed.fare } }
      - add: { field: world.paid, value: observed.fare }
  void_ticket:
    class: high_risk_external
    input: { code: string }
    target: args.code
    identity: { scope: run, fields: [code] }
    times: { sendWithin: 10s, settleAfter: 2m, keyRetention: 24h }
    status: by_key
    readback: { source: rail ledger, expect: ["actual.status == 'void'", actual.code == args.code, actual.key == key] }
    waives: { tenant: the railway sells to everybody, provider_transaction: a code names its ticket }
    undo: X
    on_reconciled:
      - set: { table: world.tickets, key: args.code, field: status, value: "'void'" }
guards:
  - { id: within_limit, on: issue_ticket, refuse_if: "world.paid + args.fare > clause.fare_limit" }
violations:
  - { id: void_but_paid, each: world.tickets, when: "row.status == 'void' && row.fare > 0.0 && key != ''", at: after }
  - { id: overspent, when: "world.paid > clause.fare_limit", then: halt_mutations }
approvals: { issue_ticket: { when: "args.fare > 400.0", by: [manager], expires: 1h } }
budgets: { steps: 60, tokens: 200000, money: { decimal: 2, max: 600 }, elapsed: 15m, calls: { issue_ticket: 3 } }
topology: { kind: orchestrator, agents: { boss: planner }, silence: 30s }
skeletons:
  choose: { tools: [find_trains], outputs: [working.route] }
  buy: { tools: [issue_ticket], inputs: [working.route], after: [choose], commit: "world.paid > 0.0", effects: compensate }
reducers: { on: { plan.update: [{ set: { field: working.route, value: args.route } }] } }
tests:
  - { given: { world.paid: 590 }, clauses: { fare_limit: 600 }, propose: { issue_ticket: { fare: 40 } }, expect: { refused: within_limit } }
`

export const claims = `id: desk_v3
namespace: acme.claims
contracts:
  pay_claim:
    required_state:
      claim: { type: string }
      limit_total: { type: float, precision: 2 }
      paid_total: { type: float, precision: 2 }
      proof: { type: string, nullable: true }
    hash_seeds: [claim, limit_total, proof]
  ask_more:
    required_state: { claim: { type: string } }
violations:
  - id: over_limit
    name: "Paid more than the limit"
    scope: [pay_claim]
    state: after
    condition: "state.paid_total > state.limit_total"
    pure: true
    monotone: true
  - id: no_proof
    scope: [pay_claim]
    base_predicate: "state.proof == null or not state.proof != ''"
    bisect_predicate: monotone_lift
    pure: true
`
