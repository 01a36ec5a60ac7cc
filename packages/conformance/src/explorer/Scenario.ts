/**
 * The scenario of an exploration: one kind of tool, the times that its contract declares, and the faults that may
 * happen.
 *
 * Time is a small clock in units of one second. The contract's declarations and the behaviour of the world are given
 * separately, so a contract that promises too much is possible, too.
 */
import type * as RecoveryPolicy from "@backstitch/admissibility/RecoveryPolicy"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Result from "effect/Result"

/**
 * The abilities of a tool whose outcome is unknown: it recognises keys, it can be asked about keys, both, or neither.
 */
export type ToolAbilities = "keyed" | "asked" | "both" | "neither"

/** The three times, in units of the model's clock. */
export interface Times {
  readonly sendWithin: number
  readonly settleAfter: number
  readonly keyRetention: number
}

/**
 * The faults of a scenario, each with the maximum number of times in one history.
 *
 * - `crashes`: a process dies between two steps, or is started once more after its end.
 * - `doubles`: a message arrives and also stays under way.
 * - `late`: the kernel is told an answer that its process no longer awaits. Answers to reads before a call and about
 *   open transactions never come late.
 * - `refusals`: the tool refuses a request for good.
 * - `unread`: the system of record refuses to be read, before or after a call.
 * - `hands`: somebody undoes the payment by hand, at any time.
 * - `verdicts`: a person decides about the payment or its undoing, at any time and with any verdict. About the
 *   payment they say what its record shows at that time; about an undoing they may be wrong. They never have an
 *   action sent again that was done. They know nothing about messages under way.
 * - `approvals`: a person approves or denies the payment that waits for that, at any time.
 * - `confusions`: the tool does nothing, and answers with the record of another act, which is then shown by readbacks.
 * - `contradictions`: the provider says of a settled payment the contrary of its settlement, at any time.
 *
 * Pauses, delays, losses and outages are not limited: any process may pause while the clock advances, a message may
 * arrive at any later time or never, and any question may get no answer.
 */
export interface Faults {
  readonly crashes: number
  readonly doubles: number
  readonly late: number
  readonly refusals: number
  readonly unread: number
  readonly hands: number
  readonly verdicts: number
  readonly approvals: number
  readonly confusions: number
  readonly contradictions: number
}

/** A scenario: the processes, what each proposes, and the faults that may happen. */
export interface Scenario {
  readonly kind: ToolAbilities
  readonly readback: boolean
  /** Set if the record is also read before the payment is sent: whether an existing payment counts, or is refused. */
  readonly before: "permit" | "refuse" | undefined
  /**
   * The number of runs: both processes work for one run, or each for a run of its own in the same tenant, and pay the
   * same account.
   */
  readonly runs: 1 | 2
  /**
   * Set if the two runs are twins, with one goal and the same payment. They keep it, both want it undone, or the next
   * step of the first run fails and aborts its subtask.
   */
  readonly twins: "keep" | "revise" | "abort" | undefined
  /**
   * Set if the payment belongs to a subtask whose next step fails, and that is then put back to a checkpoint. The
   * second process is not there, does the same work, reads what the subtask wrote, or adds an effect to it that cannot
   * be undone.
   */
  readonly restores: "alone" | "both" | "posted" | "read" | undefined
  /** A condition that the processes leave out as they judge a restore. */
  readonly leaves: RecoveryPolicy.Conjunct | undefined
  /** Set if a person has to approve the payment: how long an approval counts, in units of the clock. */
  readonly approvedFor: number | undefined
  /** Set if a process asks for the payment under another command once it has failed. */
  readonly insists: boolean
  /** Set if each process has the payment undone once it is made. Then the payment and its reversal are read back. */
  readonly undoes: boolean
  /** The record that shows a reversal: its own record, or that of the payment. */
  readonly reversal: "apart" | "shared"
  /**
   * Set if the tool keeps its effect in an open transaction. Inside, it shows the requested state or that of another
   * account.
   */
  readonly transaction: "as_asked" | "astray" | undefined
  /** The times of the world: a request takes effect within `settleAfter` after it was sent, or never. */
  readonly times: Times
  /** The times that the contract declares. */
  readonly declared: Times | undefined
  /**
   * A settlement that may wait is committed with the next commit of its process, or alone by the timer, before its
   * process decides anything else.
   */
  readonly settles: "alone" | "rides"
  /** Set if a sender drops a request after `sendWithin`. */
  readonly drops: boolean
  /**
   * Set if a tool takes its time between its call and the sending of its request, and drops what is late: by the
   * moment that its call names, or by the time that it counts from its call.
   */
  readonly dawdles: "moment" | "time" | undefined
  /** Set if the kernel is told when a request or question was sent. */
  readonly tellsWhen: boolean
  readonly faults: Faults
  /**
   * Set if the network doubles requests, and not only answers. Without keys, no kernel can prevent double effects
   * then.
   */
  readonly doublesRequests: boolean
  /** The last moment of the clock. */
  readonly horizon: number
}

/** Milliseconds of one unit of the clock. */
export const unitMillis = 1000

/** No faults at all. */
export const calm: Faults = {
  crashes: 0,
  doubles: 0,
  late: 0,
  refusals: 0,
  unread: 0,
  hands: 0,
  verdicts: 0,
  approvals: 0,
  confusions: 0,
  contradictions: 0
}

/** Faults of a short exploration: one of each kind that concerns only a payment. */
export const oneOfEach: Faults = { ...calm, crashes: 1, doubles: 1, late: 1, refusals: 1, unread: 1 }

/** Makes a scenario whose contract is true and kept, unless `changes` say otherwise. */
export const make = (kind: ToolAbilities, changes: Partial<Scenario> = {}): Scenario => {
  const times = changes.times ?? { sendWithin: 1, settleAfter: 2, keyRetention: 100 }
  return {
    kind,
    readback: false,
    before: undefined,
    runs: changes.twins === undefined ? 1 : 2,
    twins: undefined,
    restores: undefined,
    leaves: undefined,
    approvedFor: undefined,
    insists: false,
    undoes: changes.twins !== undefined || changes.restores !== undefined,
    reversal: "shared",
    transaction: undefined,
    declared: times,
    drops: true,
    dawdles: undefined,
    settles: "rides",
    tellsWhen: true,
    doublesRequests: kind === "keyed" || kind === "both",
    faults: oneOfEach,
    horizon: 4,
    ...changes,
    times
  }
}

/** Tells whether the tool of a scenario recognises a key that it has seen. */
export const recognisesKeys = ({ kind }: Scenario): boolean => kind === "keyed" || kind === "both"

/** The time in which a request is sent by contract, in milliseconds. */
export const sendingMillis = ({ declared, times }: Scenario): number => (declared ?? times).sendWithin * unitMillis

/** The contract of a scenario. */
export const packOf = (self: Scenario): TaskPack.TaskPack => {
  const { approvedFor, before, declared, kind, readback, restores, transaction, twins, undoes } = self
  const inUnits = (units: number) => `${units}s`
  const account = {
    class: "high_risk_external",
    idempotency: recognisesKeys(self) ? "idempotent_write" : "effectful",
    input: { account: "string", amount: "int" },
    target: "'account/' + args.account",
    identity: { scope: twins === undefined ? "run" : "goal", fields: [{ account: "exact" }, { amount: "integer" }] },
    ...(declared === undefined
      ? {}
      : {
          times: {
            sendWithin: inUnits(declared.sendWithin),
            settleAfter: inUnits(declared.settleAfter),
            keyRetention: inUnits(declared.keyRetention)
          }
        }),
    ...(kind === "asked" || kind === "both" ? { status: "by_key" as const } : {})
  } as const
  const journal = (...expect: ReadonlyArray<string>) =>
    ({ readback: { source: "journal", expect, within: "1s" } }) as const
  const paid =
    transaction === undefined
      ? journal("actual.amount == args.amount", "!actual.reversed")
      : journal("actual.amount == args.amount")
  const undo = { class: "R", by: "unpay", with: { account: "args.account", amount: "args.amount" } } as const
  return Result.getOrThrow(
    TaskPack.make({
      pack: "acme.explored",
      version: "1.0.0",
      state: { world: { paid: "int" }, working: restores === undefined ? {} : fields },
      tools: {
        pay: {
          ...account,
          ...(readback || undoes ? paid : {}),
          ...(before === undefined ? {} : { readback: { ...paid.readback, before } }),
          ...(transaction === undefined ? {} : { ...paid, transaction: "local" }),
          undo: undoes ? undo : "X",
          on_reconciled: [{ add: { field: "world.paid", value: "1" } }]
        },
        ...(undoes
          ? {
              unpay: {
                ...account,
                ...journal("actual.reversed"),
                undo: "X",
                on_reconciled: [{ add: { field: "world.paid", value: "0 - 1" } }]
              }
            }
          : {}),
        ...(twins === "abort" || restores !== undefined ? { ship: { ...account, undo: "X" } } : {}),
        ...(restores === undefined ? {} : { draft: reading, memo: reading }),
        ...(restores !== undefined ? { post: { ...account, class: "low_risk_internal", undo: "X" } } : {})
      },
      ...(approvedFor === undefined ? {} : { approvals: { pay: { by: [approver], expires: inUnits(approvedFor) } } }),
      ...(twins === "abort" ? { skeletons: { order: { tools: ["pay", "ship"], aborts: ["ship"] } } } : {}),
      ...(restores === undefined ? {} : subtasks)
    })
  )
}

/** The role that approves payments. */
export const approver = "owner"

const fields = { draft: { type: "string", nullable: true }, receipt: { type: "string", nullable: true } } as const

const reading = { class: "read_only", input: {}, output: { text: "string" } } as const

/** The subtask that is put back, and the one that reads its receipt. */
const subtasks = {
  machine: {
    initial: "open",
    states: ["open", "drafted"],
    edges: [{ from: "open", tool: "draft", to: "drafted" }]
  },
  skeletons: {
    order: {
      tools: ["draft", "pay", "ship", "post"],
      outputs: ["working.draft"],
      commit: "tool == 'draft'",
      effects: "rollback"
    },
    letter: { tools: ["memo"], inputs: ["working.receipt"], commit: "tool == 'memo'" }
  },
  reducers: {
    on: {
      draft: [{ set: { field: "working.draft", value: "observed.text" } }],
      pay: [{ set: { field: "working.receipt", value: "args.account" } }]
    }
  }
} as const

/** The proposal of the processes of the first run, always under the same command. */
export const payment: Proposal = { command: "pay", params: { account: "A", amount: 1 }, tool: "pay" }

/** The same payment under another command, for a process that insists on it. */
export const insisted: Proposal = { ...payment, command: "pay again" }

/** Another payment to the same account, which must not start while the first is open. A second run proposes it. */
export const rival: Proposal = { command: "rival", params: { account: "A", amount: 2 }, tool: "pay" }

/** The proposal of the first of two twins after its payment, if the next step is to fail. */
export const shipment: Proposal = { command: "ship", params: { account: "A", amount: 1 }, tool: "ship" }

/** The proposals of the subtask before its payment, and of the second process. */
export const aside: { readonly [T in "draft" | "memo" | "post"]: Proposal } = {
  draft: { command: "draft", params: {}, tool: "draft" },
  memo: { command: "memo", params: {}, tool: "memo" },
  post: { command: "post", params: { account: "A", amount: 1 }, tool: "post" }
}

/** The proposal of each run. */
export const proposals: readonly [Proposal, Proposal] = [payment, rival]

/** Answers the proposal of a run. Twins make the same payment. */
export const proposalOf = ({ twins }: Scenario, run: number): Proposal =>
  twins === undefined ? proposals[run]! : payment

/** Tells whether a tool only reads. */
export const isRead = (tool: string): boolean => tool === "draft" || tool === "memo"
