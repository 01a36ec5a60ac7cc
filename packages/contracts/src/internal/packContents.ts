/** The contents of a pack: everything that its definition says, read and compiled. */

import type * as Field from "@backstitch/expressions/Field"
import type * as Canonical from "@backstitch/trace/Canonical"
import type * as Approval from "../Approval.ts"
import type * as Budget from "../Budget.ts"
import type * as ContextHash from "../ContextHash.ts"
import type { Definition } from "../Definition.ts"
import type * as Guard from "../Guard.ts"
import type * as MessagePolicy from "../MessagePolicy.ts"
import type * as Operation from "../Operation.ts"
import type * as Progress from "../Progress.ts"
import type * as Skeleton from "../Skeleton.ts"
import type * as Specification from "../Specification.ts"
import type * as ToolContract from "../ToolContract.ts"
import type * as Topology from "../Topology.ts"
import type * as ViolationPredicate from "../ViolationPredicate.ts"

/** A proposal with what the contract is expected to answer, as the pack states it. */
export interface Test {
  readonly name?: string
  readonly given: Readonly<Record<string, Canonical.Json>>
  readonly clauses: Readonly<Record<string, Canonical.Json>>
  readonly subject: string
  readonly args: Readonly<Record<string, Canonical.Json>>
  readonly expect: NonNullable<NonNullable<Definition["tests"]>[number]>["expect"]
}

/** Everything that a definition says. */
export interface Contents {
  readonly id: string
  readonly version: string
  readonly description?: string
  readonly fields: { readonly world: Field.Fields; readonly working: Field.Fields }
  readonly specification: Specification.Specification
  /** Contracts of governed transition types and tools, by subject. */
  readonly transitions: Readonly<Record<string, ContextHash.Contract>>
  readonly tools: Readonly<Record<string, ToolContract.ToolContract>>
  readonly guards: ReadonlyArray<Guard.Guard>
  readonly violations: ReadonlyArray<ViolationPredicate.ViolationPredicate>
  readonly approvals: Readonly<Record<string, Approval.Approval>>
  readonly budget: Budget.Budget
  /** Absent where the pack says nothing of them; see {@link MessagePolicy.of}. */
  readonly messages?: Partial<MessagePolicy.MessagePolicy>
  readonly topology?: Topology.Topology
  /** Absent where the pack declares none; see {@link Progress.standard}. */
  readonly progress?: Progress.Progress
  readonly skeletons: Readonly<Record<string, Skeleton.Skeleton>>
  /** What transitions do to `working`, by type. */
  readonly reducers: Readonly<Record<string, Operation.Reduction>>
  readonly tests: ReadonlyArray<Test>
}

