/**
 * Hosts runs: begins them, lets their agents work, lets what waits go on by itself, and hands them over.
 *
 * `RunHost` is a port. `ProcessHost` hosts all runs in one process; with `@backstitch/cluster` they are shared by
 * several. A run that was begun goes on until it has ended, whatever becomes of the process: what is known is on
 * record, and the next host finds it.
 */
import type * as Enforcement from "@backstitch/kernel/Enforcement"
import type * as AgentFile from "@backstitch/runtime/AgentFile"
import type * as Coordinator from "@backstitch/runtime/Coordinator"
import type * as EvidenceRun from "@backstitch/runtime/EvidenceRun"
import type * as LiveRun from "@backstitch/runtime/LiveRun"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import type * as StoredRevision from "@backstitch/runtime/StoredRevision"
import type * as SubtaskRecovery from "@backstitch/runtime/SubtaskRecovery"
import type * as SubtaskReport from "@backstitch/runtime/SubtaskReport"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Run, Tenant } from "@backstitch/trace/Run"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as RunWaits from "../waiting/RunWaits.ts"
import type * as AgentLack from "./AgentLack.ts"
import type * as Assignments from "./Assignments.ts"
import type * as HostAgents from "./HostAgents.ts"

/** A run to be begun: the agent by its name, and what differs from its own beginning. */
export interface RunRequest {
  readonly agent: string
  /** The id of the pack that the caller expects. Another one is refused. */
  readonly pack?: string | undefined
  /** The goal to work for, in words. */
  readonly goal?: string | undefined
  readonly clauses?: JsonObject | undefined
  readonly enforcement?: Enforcement.Enforcement | undefined
}

/** A request of a person to stop the work on a run. */
export interface Cancelling {
  readonly by: string
  readonly reason: string
}

/** Error for a run that no host was ever given. */
export class RunUnhosted extends Schema.TaggedError<RunUnhosted>("@backstitch/host/RunUnhosted")("RunUnhosted", {
  run: Schema.String
}) {
  override get message(): string {
    return `No agent works on run ${this.run}. Resume it with one, by its name`
  }
}

/** Error for a run whose assignment has come to an end. */
export class RunEnded extends Schema.TaggedError<RunEnded>("@backstitch/host/RunEnded")("RunEnded", {
  run: Schema.String,
  how: Schema.Literals(["ended", "cancelled", "failed"])
}) {
  override get message(): string {
    const how = { ended: "has ended", cancelled: "was cancelled", failed: "was given up" }[this.how]
    return `Run ${this.run} ${how}. Resume it to let its agent go on`
  }
}

/** Error for a pack that is not the one of the named agent. */
export class PackUnfit extends Schema.TaggedError<PackUnfit>("@backstitch/host/PackUnfit")("PackUnfit", {
  agent: Schema.String,
  pack: Schema.String,
  has: Schema.String
}) {
  override get message(): string {
    return `Agent ${this.agent} works under pack ${this.has}, and not under ${this.pack || "none"}. Name an agent that does`
  }
}

/** Error for a request to a host that gives its runs up. */
export class HostLeaving extends Schema.TaggedError<HostLeaving>("@backstitch/host/HostLeaving")("HostLeaving", {}) {
  override get message(): string {
    return "This host gives its runs up and takes none. Ask another one, or this one again later"
  }
}

/** Lets requests through, until the host gives its runs up. */
export const unlessLeaving =
  (isLeaving: () => boolean) =>
  <A, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E | HostLeaving, R> =>
    Effect.suspend((): Effect.Effect<A, E | HostLeaving, R> => (isLeaving() ? Effect.fail(new HostLeaving()) : request))

/** Errors of a request about a run that a host works on. */
export type HostError =
  | HostAgents.ActingError
  | HostLeaving
  | Coordinator.OpenError
  | EvidenceRun.RunForeign
  | PackUnfit
  | RunHandle.RunError
  | RunEnded
  | RunUnhosted

/** Errors of a run that is to be begun. */
export type StartError =
  | AgentFile.AgentUnfit
  | AgentFile.TopologyUnfit
  | Coordinator.OpenError
  | Coordinator.RunExists
  | HostAgents.ActingError
  | HostLeaving
  | PackUnfit

/** A request of a person to take a subtask back. */
export interface Recovering extends SubtaskRecovery.SubtaskNames {
  /** The agent whose tools undo effects, by its name: the one that has the run, unless another is named. */
  readonly agent?: string | undefined
  readonly by: string
  readonly reason: string
}

/** Errors of a recovery. */
export type RecoverError =
  | HostError
  | Effect.Error<ReturnType<typeof LiveRun.restore> | ReturnType<typeof SubtaskReport.judgment>>

/** Errors of a revision. */
export type InjectError = HostError | Effect.Error<ReturnType<typeof LiveRun.revise | typeof StoredRevision.record>>

/**
 * The standing of a run with its host.
 *
 * **Details**
 *
 * `queued`: it waits for its turn. `working`: its agent acts. `waiting`: for what `waits` lists; at `wakesAt` (epoch
 * milliseconds) it looks by itself. `elsewhere`: this process does not host it, and another may. The others are ends.
 */
export interface Hosted {
  readonly run: Run
  readonly agent: string
  readonly doing: "queued" | "working" | "waiting" | "elsewhere" | Assignments.AssignmentEnding["how"]
  readonly tick: number
  readonly waits: ReadonlyArray<RunWaits.RunWait>
  readonly wakesAt: number | undefined
  readonly ending: Assignments.AssignmentEnding | undefined
  /** The agent for which it waits because this host lacks it, while no other host works on the run. */
  readonly lack: AgentLack.AgentLack | undefined
}

/** Service that hosts runs. */
export class RunHost extends Context.Service<
  RunHost,
  {
    /**
     * Begins a run and gives it to its agent. Answers once the beginning is durable; the agent works on. A crash just
     * before the answer may leave a run that was begun and given to nobody: `resume` gives it to an agent.
     */
    readonly start: (run: Run, asked: RunRequest) => Effect.Effect<void, StartError>
    /** Lets an agent go on with a run: now, if it waits; again, if it has ended or was begun elsewhere. */
    readonly resume: (run: Run, agent?: string | undefined) => Effect.Effect<void, HostError>
    /**
     * Stops the work on a run: its turn is ended, nothing else is begun, and the request is on record. What is held
     * or was done stays as it is.
     */
    readonly cancel: (run: Run, asked: Cancelling) => Effect.Effect<void, HostError>
    /**
     * Records a revision of the goal, which the agent absorbs before it acts again. Words are read by the agent, unless
     * another reader is named. In a run without an agent the revision waits until one goes on with it.
     */
    readonly inject: (
      run: Run,
      asked: StoredRevision.RevisionRequest
    ) => Effect.Effect<StoredRevision.RecordedRevision, InjectError>
    /** Reads and plans a revision as `inject` does, and records nothing. */
    readonly rehearse: (
      run: Run,
      asked: StoredRevision.RevisionRequest
    ) => Effect.Effect<StoredRevision.Prepared, InjectError>
    /**
     * Takes a subtask back to its latest admissible checkpoint, and lets the agent go on if it was at work. If none is
     * admissible, nothing is done, and its work is not disturbed.
     */
    readonly recover: (run: Run, asked: Recovering) => Effect.Effect<LiveRun.Restored, RecoverError>
    /**
     * Carries one act on a run out with the tools of an agent, such as an intent of another run. The agent has to work
     * under the pack of the run, or of the given digest if the run is to be begun.
     */
    readonly acting: (
      run: Run,
      agent: string,
      pack?: string | undefined
    ) => <A, E, R>(act: Effect.Effect<A, E, R>) => Effect.Effect<A, E | HostError, Exclude<R, HostAgents.Acting>>
    /** Tells where a run stands. */
    readonly status: (run: Run) => Effect.Effect<Hosted, HostError>
    /** Lists the runs of a tenant that this process has and whose agents it lacks. */
    readonly lacking: (tenant: Tenant) => Effect.Effect<ReadonlyArray<AgentLack.AgentLack>>
    /**
     * Gives all runs up: their turns are ended, their leases returned, and other hosts go on with them. From then on
     * nothing is taken. The end of the scope of a host does the same.
     */
    readonly drain: Effect.Effect<void>
  }
>()("@backstitch/host/RunHost") {}
