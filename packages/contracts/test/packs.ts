/**
 * Packs that tests share: a trip with money in it, a claims adjuster without a state section, and one that uses every
 * key but the words of older packs.
 */

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
    idempotency: idempotent_write
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
    idempotency: idempotent_write
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
topology: { kind: orchestrator, agents: { boss: planner }, silence: 30s, checklist: [issue_ticket] }
machine: { initial: choosing, states: [choosing, going], edges: [{ from: choosing, tool: issue_ticket, to: going }] }
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

export const whole = `pack: acme.all
version: 1.2.3
description: Everything once
state:
  world:
    rows: { table: { key: code, row: { status: { enum: [a, b] }, fare: { decimal: 2 }, note: { type: string, optional: true } } }, description: rows }
    paid: { type: decimal, precision: 2, initial: "1.50" }
    score: { type: float, precision: 3 }
    plain: float
    words: { type: list, item: string }
    long: { type: table, key: id, row: { type: object, fields: { n: int } } }
    who: { type: string, nullable: true, sensitive: { subject: args.person, facts: { initial: "value.startsWith('A')" }, planner: true } }
    rate: { float: 2 }
  working:
    route: { type: string, nullable: true }
    notes: { list: string }
    one: { type: enum, values: [x, y] }
    obj: { object: { a: int, b: { type: bool, initial: true } } }
    any: json
    count: int
specification:
  fare_limit: { holds: world.paid <= clause.fare_limit, value: { decimal: 2 }, default: 9.5, description: The limit }
  quick: world.paid < 1000.0
  fn: { holds: { function: "({ world }) => world.paid !== null" } }
  untyped: { holds: clause.untyped == 3, default: 3 }
transitions:
  book:
    data: { a: int, b: { type: string, optional: true } }
    required_state: { world.paid: { decimal: 2 }, working.route: string }
    hash_seeds: [world.paid]
    advisory: [working.route]
    match: [world.paid]
    description: Books
  plan.update:
    required_state: [working.count]
tools:
  look: { class: read_only, input: { code: string }, output: { found: bool }, description: Looks, identity: none }
  book:
    description: Books a thing
    class: critical_mutation
    idempotency: idempotent_write
    input: { code: string, fare: { decimal: 2 }, person: { type: string, optional: true }, count: { type: int, optional: true } }
    output: { code: string, fare: { decimal: 2 } }
    target: "'row/' + args.code"
    tenant: "'acme'"
    identity: { scope: goal, fields: [code, { fare: decimal }] }
    times: { sendWithin: 10s, settleAfter: 2m, keyRetention: 24h }
    cost: { amount: args.fare, actual: observed.fare, currency: CHF, tokens: 5 }
    status: { by: key, poll: { first: 250ms, factor: 2, max: 30s }, within: 5m }
    readback:
      source: ledger
      from: primary
      expect:
        - actual.code == args.code
        - { id: wrong_tenant, holds: "actual.tenant == tenant", otherwise: wrong_target_modified, checks: tenant }
        - { id: fares, holds: "actual.fare == args.fare", checks: [amount, key] }
      within: 30s
      poll: { first: 1s }
      consistency: token
      scope: { tenant: actual.tenant, target: actual.target, actor: { shows: actual.actor, expects: actor }, region: { shows: actual.region, expects: "'eu'" } }
      before: permit
      version: { planned: world.score, actual: actual.version }
      parts: { seat: actual.seat == true, food: { function: "({ actual }) => actual.food === true" } }
      token: observed.code
      strong: { source: primary ledger, from: primary }
      sources: [{ source: audit, from: audit_trail, expect: actual.seen == true }, { source: third }]
    webhook:
      { form: hmac, secret: [PAY_SECRET, OLD_SECRET], tolerance: 5m, header: X-Sig, key: body.key,
        done: "body.status == 'paid'", failed: "body.status == 'no'", output: body.payment, sent: body.at, id: body.id }
    undo:
      class: K
      by: unbook
      with: { code: observed.code, why: { a: ["'x'", 1] } }
      narrows: "'K'"
      within: 24h
      proof: 30d
    waives: { policy_version: it has none }
    reads: [working.route]
    writes: ["world.rows[args.code]"]
    assumes: [quick, { fare_limit: args.fare <= clause.fare_limit }]
    serves: [quick]
    on_reconciled:
      - put: { table: world.rows, key: observed.code, row: { status: "'a'", fare: observed.fare } }
      - add: { field: world.paid, value: observed.fare, }
        when: args.fare > 1.0
      - set: { table: world.rows, key: args.code, field: status, value: "'b'" }
      - set: { field: world.score, value: 1.5 }
      - add: { table: world.rows, key: args.code, field: fare, value: 1 }
      - remove: { table: world.rows, key: "'old'" }
      - append: { list: world.words, item: args.code }
    on_recorded: { function: "({ world }) => ({ world: { score: 2 } })" }
    model: { function: "({ args }) => ({ output: { code: args.code }, world: {} })" }
  unbook:
    class: high_risk_external
    input: { code: string, why: json }
    target: args.code
    idempotency: idempotent_write
    identity: { scope: run, fields: { code: exact } }
    times: { sendWithin: 10s, settleAfter: 2m, keyRetention: 24h }
    status: by_key
    cost: { amount: 3, currency: EUR }
    readback: { source: ledger, expect: { function: "({ actual }) => actual === null" }, poll: 500ms, within: 10s }
    assumes: { untyped: { function: "({ clause }) => clause.untyped === 3" } }
    keeps: { amount: actual.kept, currency: CHF, decimal: 2 }
    undo: X
    on_reconciled: []
  seat:
    class: medium_risk_write
    input: { seat: string }
    output: json
    identity: { scope: tenant, fields: [{ seat: name@1 }] }
    transaction: local
    times: { sendWithin: 3s, settleAfter: 1s }
    target: none
    readback: { source: seats, expect: [actual.seat == args.seat] }
    undo: X
    writes: [world.score]
    on_reconciled: [{ set: { field: world.score, value: 2 } }]
  word:
    class: critical_mutation
    input: { x: int }
    identity: none
    accepts_word: { by: Ann, why: nobody can check }
    undo: X
guards:
  - { id: within_limit, name: Within, on: [book, seat], refuse_if: "world.paid > clause.fare_limit", description: It is too much }
  - { id: one, on: book, refuse_if: { function: "({ args }) => args.fare === null" } }
violations:
  - { id: void_but_paid, name: Void, each: world.rows, when: "row.status == 'b' && key != ''", at: after, scope: book, description: bad, pure: true }
  - { id: overspent, condition: "world.paid > clause.fare_limit", then: halt_mutations, state: before, monotone: true }
  - { id: based, base_predicate: "before.world.paid > 1.0", monotone_lift: true, bisect_predicate: monotone_lift, scope: [book, seat], monotone: lift }
approvals: { book: { when: "args.fare > 400.0", by: [manager, boss], expires: 1h }, seat: { by: manager } }
budgets:
  steps: 60
  tokens: 200000
  elapsed: 15m
  money: [{ currency: CHF, decimal: 2, max: 600 }, { currency: EUR, max: "10.5" }]
  refusals: 3
  anomalies: 2
  retries: 4
  recoveries: 5
  calls: { book: 3 }
  shared: true
  verification: { run: 10, action: 2 }
messages: { reports: required, unreconciled: mark }
revisions: { rule: earliest_conflict, reversible: leave, priority: [quick, fare_limit] }
recovery: { policy: entry, consumers: instance, tries: 2, blocked: rerun }
topology:
  kind: orchestrator
  agents: { boss: planner }
  order: [boss]
  checklist: [book]
  on_failure: stop
  on_alarm: hold
  steps: 4
  checkpoint: 50
  rounds: 2
  queue: 3
  silence: 30s
  plan: 10s
progress: { subgoals: [quick, fare_limit], weights: { completion: 1, constraints: 0.5, survival: 2 }, recent: 5 }
machine:
  field: working.one
  states: [x, y]
  edges: [{ from: x, tool: look, to: y }, { from: y, tool: book, to: y }]
skeletons:
  choose: { tools: [look], outputs: [working.route], description: Chooses }
  buy:
    entity: args.code
    states: [y]
    entry: [y]
    commit: "world.paid > 0.0"
    exit: { function: "({ world }) => world.paid !== null" }
    inputs: [working.route]
    outputs: ["world.rows[entity]", world.paid]
    tools: [book, unbook, seat]
    effects: compensate
    pivot: [book]
    aborts: [seat]
    forward: [{ tool: unbook, with: { code: entity, why: { z: 1 } }, within: 10m, poll: 1s }]
    undo_behind_pivot: [unbook]
    after: [choose]
reducers: { on: { plan.update: [{ set: { field: working.route, value: args.route } }], book: { function: "({ working }) => ({ working: {} })" } } }
tests:
  - { name: too much, given: { world.paid: 590 }, clauses: { fare_limit: 600 }, propose: { book: { fare: 40 } }, expect: { refused: within_limit } }
  - { propose: { seat: null }, expect: { allowed: true, approval: true, violated: overspent, holds: [quick] } }
`
