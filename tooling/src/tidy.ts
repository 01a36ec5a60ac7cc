/**
 * The rules of style as a program: `pnpm tidy` prints violations and remedies.
 *
 * `pnpm tidy --picture` prints the picture of the packages instead, `pnpm tidy --limits` the tables of limits.
 */
import { pathToFileURL } from "node:url"
import * as Documents from "./Documents.ts"
import * as ErrorFields from "./ErrorFields.ts"
import * as Examples from "./Examples.ts"
import * as ForbiddenCalls from "./ForbiddenCalls.ts"
import * as ForbiddenText from "./ForbiddenText.ts"
import * as Glossary from "./Glossary.ts"
import * as InstanceOf from "./InstanceOf.ts"
import * as Laws from "./Laws.ts"
import * as Limits from "./Limits.ts"
import * as Modules from "./Modules.ts"
import * as ModuleTables from "./ModuleTables.ts"
import * as Openings from "./Openings.ts"
import * as PackageExports from "./PackageExports.ts"
import * as PackageGraph from "./PackageGraph.ts"
import * as PayloadReads from "./PayloadReads.ts"
import * as PinnedVersions from "./PinnedVersions.ts"
import * as Repository from "./Repository.ts"
import * as Rooms from "./Rooms.ts"
import * as SharedNouns from "./SharedNouns.ts"
import * as Sizes from "./Sizes.ts"
import * as TerminalCommands from "./TerminalCommands.ts"
import * as TestNames from "./TestNames.ts"
import * as Tiers from "./Tiers.ts"
import * as UserSentences from "./UserSentences.ts"
import * as WhereRows from "./WhereRows.ts"

/** Every rule. */
export const rules: ReadonlyArray<Repository.Rule> = [
  Sizes.sizes,
  ForbiddenCalls.calls,
  InstanceOf.instanceOf,
  ErrorFields.errorFields,
  PayloadReads.reads,
  Tiers.imports,
  Modules.names,
  Modules.nouns,
  SharedNouns.sharedNouns,
  SharedNouns.bareTypes,
  SharedNouns.sharedTypes,
  Modules.docs,
  Modules.tests,
  TestNames.testNames,
  Modules.contents,
  PackageExports.exports,
  Rooms.listedRooms,
  Rooms.rooms,
  Rooms.sizes,
  Rooms.rounds,
  WhereRows.askedModules,
  WhereRows.reachedCommands,
  WhereRows.reachedModules,
  WhereRows.reachedRooms,
  Modules.titles,
  Openings.openings,
  Openings.bareComments,
  Openings.sentences,
  ForbiddenText.words,
  UserSentences.userSentences,
  UserSentences.directWords,
  Documents.documents,
  ModuleTables.moduleTables,
  ModuleTables.roomsOfModules,
  ModuleTables.unindexed,
  PinnedVersions.pins,
  TerminalCommands.commands,
  Glossary.glossary,
  Examples.examples,
  Laws.laws,
  Laws.citations,
  Limits.limits,
  Limits.strays,
  Limits.areCurrent,
  PackageGraph.isCurrent
]

/** Lists violations of the rules, by file and line. */
export const check = (repository: Repository.Repository): ReadonlyArray<Repository.Finding> =>
  rules
    .flatMap((rule) => [...rule(repository)])
    .sort((left, right) => (left.file === right.file ? left.line - right.line : left.file < right.file ? -1 : 1))

/** Writes a finding as one line. */
export const print = ({ advice, file, line, rule }: Repository.Finding): string => `${file}:${line}: ${rule}: ${advice}`

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const repository = Repository.read(Repository.root)
  if (process.argv.includes("--picture")) {
    process.stdout.write(PackageGraph.draw(repository))
  } else if (process.argv.includes("--limits")) {
    process.stdout.write(Limits.draw(repository))
  } else {
    const findings = check(repository)
    for (const finding of findings) console.log(print(finding))
    console.log(findings.length === 0 ? "tidy" : `${findings.length} to tidy`)
    process.exitCode = findings.length === 0 ? 0 : 1
  }
}
