/** Flags that name a canary: a share of the runs, or the runs of a tenant. */
import * as Flags from "../../input/Flags.ts"

/** Both flags; at most one of them may be given. */
export const flags = {
  canaryTenant: Flags.text("canary-tenant", "TENANT", "The canary: the runs of this tenant"),
  canaryShare: Flags.text("canary-share", "SHARE", "The canary: a share of the runs, between 0 and 1")
}
