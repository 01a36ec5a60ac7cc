/**
 * Audits a pack: for each tool, how it recovers from a crash during a call, how deeply it is verified, and which
 * declaration would keep its actions from being held; and of its topology, which failure comes first, and whether
 * anything would detect it.
 */
import * as NotEnforced from "@backstitch/contracts/NotEnforced"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as Topology from "@backstitch/contracts/Topology"
import * as ResumePlan from "@backstitch/kernel/ResumePlan"
import * as VerificationDepth from "@backstitch/reconciliation/VerificationDepth"
import type * as Crack from "@backstitch/topology/Crack"
import * as Shapes from "@backstitch/topology/Shapes"
import * as English from "@backstitch/wording/English"
import type { Profile } from "@backstitch/wording/TopologyWords"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"

/** The recovery of a tool from a crash. `advice` is the declaration that prevents held actions, in words. */
export type CrashRecovery = Omit<ResumePlan.AuditRow, "advice"> & { readonly advice?: string }

/** The verification of a tool. `proof` is the way in which its effects are proven, in words. */
export type Depth = Omit<VerificationDepth.Audit, "acceptedBy" | "proof"> & { readonly proof: string }

/**
 * The topology of a pack: the crack that it shows first, with its signal, recovery and checkpoints in words. `remedy`
 * is the declaration that switches its detector on, and is there if it is off. `unread` are keys that no run of its
 * kind reads. `silence` says what becomes of a role that hangs, where there are roles.
 */
export interface TopologyAudit extends Profile {
  readonly kind: Shapes.Detector["kind"]
  readonly crack: Crack.CrackName
  readonly detector: "off" | "on"
  readonly unread: ReadonlyArray<string>
  readonly silence?: string
  readonly remedy?: string
}

/** The audit of a contract, as plain JSON. `unrecoverable` counts tools; `topology` is there if one is declared. */
export interface PackAudit {
  readonly pack: string
  readonly version: string
  readonly digest: string
  readonly unrecoverable: number
  readonly tools: ReadonlyArray<CrashRecovery>
  readonly verification: ReadonlyArray<Depth>
  readonly topology?: TopologyAudit
}

/** Tells whether nothing would be held after a crash, and the first crack of the topology would be detected. */
export const isSound = ({ topology, unrecoverable }: PackAudit): boolean =>
  unrecoverable === 0 && topology?.detector !== "off"

/** Audits a pack. */
export const of = (pack: TaskPack.TaskPack, words?: Words): PackAudit => {
  const { digest, id, version } = pack
  const tools = ResumePlan.auditPack(pack).map(({ advice, ...row }): CrashRecovery => {
    return advice === undefined ? row : { ...row, advice: Wording.advice(advice, words) }
  })
  const verification = Object.values(pack.tools).map((tool): Depth => {
    const { acceptedBy, ...row } = VerificationDepth.audit(tool)
    return { ...row, proof: Wording.proof({ acceptedBy, proof: row.proof }, words) }
  })
  const unrecoverable = tools.filter((row) => row.unrecoverable).length
  const audit = { pack: id, version, digest, unrecoverable, tools, verification }
  return pack.topology === undefined ? audit : { ...audit, topology: topologyOf(pack, pack.topology, words) }
}

const topologyOf = (
  pack: TaskPack.TaskPack,
  declared: Topology.Topology,
  words: Words = English.words
): TopologyAudit => {
  const { crack, isOn, kind, needs } = Shapes.detector(declared)
  const { missing, profiles, silence } = words.topologies
  const unread = NotEnforced.of(pack).filter((key) => key.startsWith("topology."))
  const ofRoles = kind === "react" ? {} : { silence: silence(declared.silenceMillis) }
  const audit = { kind, crack, detector: isOn ? "on" : "off", unread, ...ofRoles, ...profiles[kind] } as const
  return isOn ? audit : { ...audit, remedy: missing[needs] }
}
