/** Opens a run once for all calls that are under way in it. */
import type { Backstitch, Run } from "@backstitch/sdk"

interface Open {
  readonly run: Promise<Run>
  calls: number
}

const opened = new WeakMap<Backstitch.Backstitch, Map<string, Open>>()

/**
 * Does something in a run that is open, and gives the run back once no call of this process needs it.
 *
 * A run that is opened settles first what a crash left open. So the calls of one moment share it: none of them takes
 * another one's call, which is under way, for one that was left.
 */
export const within = async <A>(
  backstitch: Backstitch.Backstitch,
  name: string,
  work: (run: Run) => Promise<A>
): Promise<A> => {
  const own = opened.get(backstitch) ?? new Map<string, Open>()
  opened.set(backstitch, own)
  const open = own.get(name) ?? { run: backstitch.run(name, { wait: true }), calls: 0 }
  own.set(name, open)
  open.calls++
  try {
    return await work(await open.run)
  } finally {
    open.calls--
    if (open.calls === 0) {
      own.delete(name)
      const run = await open.run.catch(() => undefined)
      await run?.close()
    }
  }
}
