/**
 * Audits a pack: for each tool, how it recovers from a crash during a call, how deeply it is verified, and which
 * declaration would keep its actions from being held.
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ResumePlan from "@backstitch/ledger/ResumePlan"
import * as VerificationDepth from "@backstitch/reconciliation/VerificationDepth"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"

/** The recovery of a tool from a crash. `advice` is the declaration that prevents held actions, in words. */
export type Recovery = Omit<ResumePlan.AuditRow, "advice"> & { readonly advice?: string }

/** The verification of a tool. `proof` is the way in which its effects are proven, in words. */
export type Depth = Omit<VerificationDepth.Audit, "acceptedBy" | "proof"> & { readonly proof: string }

/** The audit of a contract, as plain JSON. `unrecoverable` counts tools. */
export interface PackAudit {
  readonly pack: string
  readonly version: string
  readonly digest: string
  readonly unrecoverable: number
  readonly tools: ReadonlyArray<Recovery>
  readonly verification: ReadonlyArray<Depth>
}

/** Audits a pack. */
export const of = (pack: TaskPack.TaskPack, words?: Words): PackAudit => {
  const { digest, id, version } = pack
  const tools = ResumePlan.auditPack(pack).map(({ advice, ...row }): Recovery => {
    return advice === undefined ? row : { ...row, advice: Wording.advice(advice, words) }
  })
  const verification = Object.values(pack.tools).map((tool): Depth => {
    const { acceptedBy, ...row } = VerificationDepth.audit(tool)
    return { ...row, proof: Wording.proof({ acceptedBy, proof: row.proof }, words) }
  })
  const unrecoverable = tools.filter((row) => row.unrecoverable).length
  return { pack: id, version, digest, unrecoverable, tools, verification }
}
