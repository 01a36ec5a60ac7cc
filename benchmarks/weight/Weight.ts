/** The weight of each package: installed bytes, processor time of its import, and bytes in a browser. */
import * as ChildProcess from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Figure from "../src/Figure.ts"
import * as Statistics from "../src/Statistics.ts"
import * as Budget from "./Budget.ts"
import * as Bundle from "./Bundle.ts"
import * as Published from "./Published.ts"

const figure = (name: string, title: string, unit: Figure.Figure["unit"], within?: number): Figure.Figure => ({
  name,
  title,
  better: "less",
  unit,
  within,
  durability: "none"
})

/** Every package as it is published. */
export const benchmark: Figure.Benchmark = {
  name: "weight",
  run: async ({ folder, runs, say }) => {
    say("building the packages")
    const reason = Published.build()
    if (reason !== undefined) return [Figure.absent(figure("weight", "weight of the packages", "x"), reason)]
    Published.layOut(folder)
    const results: Array<Figure.Measured> = []
    for (const [name, home] of Published.homes()) {
      const noun = name.slice(name.indexOf("/") + 1)
      const budget = Budget.packages[noun]
      const megabytes = Published.installedBytes(name) / 1e6
      results.push(
        Figure.measured(figure(`install-${noun}`, `${noun}: installed, without effect`, "MB", budget?.install), [
          megabytes
        ])
      )
      results.push(await imported(folder, runs, { name: noun, specifier: name, within: budget?.load }))
      if (budget?.bundle === undefined) continue
      const whole = await Bundle.make(`export * from "${name}"`, { effect: "outside", folder: home })
      const title = `${noun}: all of it in a browser, gzip, without effect`
      results.push(Figure.measured(figure(`bundle-${noun}`, title, "kB", budget.bundle), [Bundle.kilobytes(whole)]))
    }
    results.push(
      await imported(folder, runs, {
        name: "Coordinator",
        specifier: "@backstitch/runtime/Coordinator",
        within: undefined
      })
    )
    results.push(
      await imported(folder, runs, { name: "HashChain", specifier: "@backstitch/trace/HashChain", within: undefined })
    )
    for (const [title, page] of Object.entries(Budget.pages)) results.push(await paged(folder, title, page))
    return results
  }
}

const paged = async (folder: string, title: string, { kilobytes, lines }: Budget.Page): Promise<Figure.Measured> => {
  const [beside, all] = [
    await Bundle.make(lines, { effect: "outside", folder }),
    await Bundle.make(lines, { effect: "inside", folder })
  ]
  const named = figure(`page-${title.replaceAll(" ", "-")}`, `${title}: gzip, without effect`, "kB", kilobytes)
  return Figure.measured(named, [Bundle.kilobytes(beside)], `${Figure.round(Bundle.kilobytes(all))} kB with effect`)
}

const imported = async (
  folder: string,
  runs: number,
  {
    name,
    specifier,
    within
  }: { readonly name: string; readonly specifier: string; readonly within: number | undefined }
): Promise<Figure.Measured> => {
  const paired = await Statistics.interleave(runs, {
    ours: () => processorMillis(folder, specifier),
    theirs: () => processorMillis(folder, "effect")
  })
  return Figure.ratio(
    figure(`import-${name}`, `${name}: processor time of its import ÷ that of effect`, "x", within),
    paired,
    "ms"
  )
}

/** Processor time that a fresh process takes to import a module, in milliseconds. Other processes do not add to it. */
const processorMillis = (folder: string, specifier: string): number => {
  const script = Path.join(folder, "import.mjs")
  if (!Fs.existsSync(script)) {
    Fs.writeFileSync(
      script,
      "const from = process.cpuUsage()\nawait import(process.argv[2])\nconst { system, user } = process.cpuUsage(from)\n" +
        "process.stdout.write(String((system + user) / 1000))\n"
    )
  }
  const { status, stderr, stdout } = ChildProcess.spawnSync(process.execPath, [script, specifier], { encoding: "utf8" })
  if (status !== 0) throw new Error(`${specifier} cannot be imported: ${stderr.trim().split("\n").at(-1)}`)
  return Number(stdout)
}
