/**
 * The sources whose records may confirm an action of each class.
 *
 * A record from another source is evidence, and settles nothing: an action of the class is held on it. A source without
 * a named origin counts, since the author of its contract vouches for it.
 *
 * @source Action Verification, "Verification Depth by Side-Effect Class": permitted readback source
 */
import * as Readback from "./Readback.ts"
import type * as ToolContract from "./ToolContract.ts"

/** The origins that each class admits. */
export const ofClass: { readonly [Class in ToolContract.SideEffect]: ReadonlyArray<Readback.ReadOrigin> } = {
  read_only: ["permitted_read_path", "signed_response", "strong_endpoint", "primary"],
  ephemeral_write: ["sandbox_monitor"],
  low_risk_internal: ["primary", "service_api", "strong_endpoint"],
  medium_risk_write: ["service_api", "primary", "workflow_engine", "event_ledger"],
  high_risk_external: ["provider_ledger", "provider_status"],
  critical_mutation: ["immutable_ledger", "audit_trail", "production_controller", "provider_ledger", "primary"]
}

/** Tells whether a source may confirm an action of a class. */
export const admits = (sideEffect: ToolContract.SideEffect, origin: Readback.ReadOrigin | undefined): boolean =>
  origin === undefined || (!Readback.isLagging(origin) && ofClass[sideEffect].includes(origin))

/** Lists the sources of a contract that confirm nothing for its class although they do not lag, by their path. */
export const misfits = ({
  class: sideEffect,
  readback
}: Pick<ToolContract.ToolContract, "class" | "readback">): ReadonlyArray<{
  readonly at: ReadonlyArray<string | number>
  readonly origin: Readback.ReadOrigin
}> => {
  if (readback === undefined) return []
  const named = [
    { at: ["readback", "from"], origin: readback.from },
    { at: ["readback", "strong", "from"], origin: readback.strong?.from },
    ...readback.sources.map(({ from }, index) => ({ at: ["readback", "sources", index, "from"], origin: from }))
  ]
  return named.flatMap(({ at, origin }) =>
    origin === undefined || Readback.isLagging(origin) || admits(sideEffect, origin) ? [] : [{ at, origin }]
  )
}
