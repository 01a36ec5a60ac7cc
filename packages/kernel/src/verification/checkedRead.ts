/** A read of the system of record, checked against the contract. */
import type * as Discrepancy from "@backstitch/reconciliation/Discrepancy"
import type { Evidence } from "../decision/Evidence.ts"
import type * as Finding from "../payload/Finding.ts"
import type * as ScopeCheck from "./ScopeCheck.ts"

/** A read, checked against the contract. */
export interface CheckedRead {
  readonly evidence: Evidence
  readonly predicates: ReadonlyArray<Discrepancy.Predicate>
  readonly scoping?: ScopeCheck.ScopeCheck | undefined
  readonly doubt?: Doubt | undefined
  /** `true` if it was read from the strong source of the contract. */
  readonly isStrong?: boolean | undefined
}

/** The reason why a readable record settles nothing. */
export interface Doubt {
  readonly kind: "hint" | "disagreement"
  readonly reason: Finding.Finding
}
