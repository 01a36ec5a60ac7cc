/**
 * Checks the packages as a user installs them: packed, in a folder of their own, with an agent.
 *
 * The program is a bundle, and the agent imports the packages. An agent that reads tables and refuses is run, killed,
 * resumed and searched under both programs, the installed one and the sources, and with tools of the SDK, which carries
 * copies of its own. All must give the same trace.
 */
import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

/** Installs the packed packages and runs an agent on them. Lists the faults, one per line. */
export const check = (options: { readonly root: string; readonly tarballs: string }): ReadonlyArray<string> => {
  const { root, tarballs } = options
  const fixtures = Path.join(root, "apps/cli/test/fixtures")
  const folder = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-installed-")))
  try {
    const found = [...followed(folder, options), ...peers(folder)]
    for (const name of ["pack.yaml", "reader.ts", "sdkReader.ts"])
      Fs.copyFileSync(Path.join(fixtures, name), Path.join(folder, name))
    const main = Path.join(folder, "node_modules/@backstitch/cli/dist/main.js")
    const installed = told(folder, { main, agent: Path.join(folder, "reader.ts") })
    const sources = told(Path.join(folder, "sources"), {
      main: Path.join(root, "apps/cli/src/main.ts"),
      agent: Path.join(fixtures, "reader.ts")
    })
    const carried = told(Path.join(folder, "carried"), { main, agent: Path.join(folder, "sdkReader.ts") })
    const isSound = /^ended FAILED, story [0-9a-f]{64}, onset \d+, OBEYED$/.test(sources)
    if (isSound && installed === sources && carried === sources) return found
    const ends = `the agent comes to "${installed}", with tools of the SDK to "${carried}", from the sources to "${sources}"`
    return [...found, `installed from ${tarballs}: ${ends}`]
  } finally {
    Fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** Does in a folder what the README of the command line says, literally. */
const followed = (
  folder: string,
  { root, tarballs }: { readonly root: string; readonly tarballs: string }
): ReadonlyArray<string> => {
  const readme = Fs.readFileSync(Path.join(root, "apps/cli/README.md"), "utf8")
  const fence = (kind: string) => new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\`$`, "ms").exec(readme)?.[1] ?? ""
  Fs.writeFileSync(Path.join(folder, "pack.yaml"), fence("yaml"))
  Fs.writeFileSync(Path.join(folder, "errands.ts"), fence("ts"))
  Fs.cpSync(tarballs, Path.join(folder, "packages"), { recursive: true })
  const steps = /^```sh\n(npm init .*?)^```$/ms.exec(readme)?.[1] ?? "exit 1"
  const { status, stderr, stdout } = spawnSync("sh", ["-e", "-c", steps], { cwd: folder, encoding: "utf8" })
  const isDone = status === 0 && /^DONE: +run=week-12/m.test(stdout)
  return isDone ? [] : [`the steps of apps/cli/README.md end with ${status}:\n${stdout}${stderr}`]
}

/** Lists copies of effect beside the one that the folder has: it is a peer, so an app and the packages share theirs. */
const peers = (folder: string): ReadonlyArray<string> =>
  Fs.globSync("node_modules/**/node_modules/effect/package.json", { cwd: folder }).map(
    (path) => `${Path.dirname(path)} is a second copy of effect: name it among peerDependencies`
  )

/** Runs an agent, and says how it ended: the story of its run, the onset of a violation, and whether it obeyed. */
const told = (folder: string, { agent, main }: { readonly agent: string; readonly main: string }): string => {
  Fs.mkdirSync(folder, { recursive: true })
  const env = { ...process.env, NO_COLOR: "1", SHOP: Path.join(folder, "shop.json") }
  const say = (line: string, more: Readonly<Record<string, string>> = {}): string => {
    const options = { cwd: folder, encoding: "utf8", env: { ...env, ...more } } as const
    const { stderr, stdout } = spawnSync(process.execPath, [main, ...line.split(" ")], options)
    return stdout === "" ? stderr : stdout
  }
  say(`run trip --agent ${agent}`, { DIE_IN: "bread" })
  const ended = /^(FAILED|DONE|HELD|REFUSED).*$/m.exec(say(`resume trip --agent ${agent}`))?.[1] ?? "not at all"
  const [header = ""] = say("export trip").split("\n")
  const story = /"story":"([0-9a-f]{64})"/.exec(header)?.[1] ?? header
  const onset = /"onset":(\d+|null)/.exec(say("bisect trip --predicate overspent --json").replaceAll(" ", ""))?.[1]
  const obeyed = /^(OBEYED|DIFFERS|BROKEN)/m.exec(say("verify trip --redecide"))?.[1]
  return `ended ${ended}, story ${story}, onset ${onset}, ${obeyed}`
}
