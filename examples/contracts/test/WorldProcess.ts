/** Runs the providers as a child process, which ends at the latest when this process ends. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

/** A record of a provider. */
export interface Recorded {
  readonly kind: string
  readonly id: string
  readonly body: Readonly<Record<string, unknown>>
}

/** The running world. */
export interface WorldProcess {
  readonly url: string
  /** Has requests to a provider fail: `lost` after they took effect, `down` before, `hidden` if they only read. */
  readonly fault: (
    provider: string,
    faults: { readonly lost?: number; readonly down?: number; readonly hidden?: number }
  ) => Promise<void>
  /** The records of a kind, such as `stripe.payment_intents`, or of a whole provider, such as `stripe.`. */
  readonly records: (kind: string) => Promise<ReadonlyArray<Recorded>>
  readonly stop: () => Promise<void>
}

/** Starts the world. */
export const start = async (): Promise<WorldProcess> => {
  const script = fileURLToPath(new URL("../world/main.ts", import.meta.url))
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] })
  const ended = once(child, "exit")
  const [line] = await once(createInterface({ input: child.stdout }), "line")
  const { url }: { readonly url: string } = JSON.parse(String(line))
  return {
    url,
    fault: async (provider, faults) => {
      await fetch(`${url}/${provider}/_faults`, { method: "POST", body: JSON.stringify(faults) })
    },
    records: async (kind) => {
      const all = await (await fetch(`${url}/${kind.split(".")[0]}/_records`)).json()
      return (all as ReadonlyArray<Recorded>).filter((each) => each.kind.startsWith(kind))
    },
    stop: async () => {
      child.stdin.end()
      await ended
    }
  }
}
