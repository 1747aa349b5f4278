import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { cliWith } from "../cli/cli-with.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(resolve(ROOT, path), "utf8");

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly command?: readonly string[];
  readonly healthcheck?: unknown;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const compose = parse(read("docker-compose.yml"), { merge: true }) as Compose;
const services = Object.entries(compose.services);

describe("docker-compose.yml", () => {
  it("has contextd, Prometheus, Alertmanager and Grafana", () => {
    expect(Object.keys(compose.services)).toEqual(["contextd", "prometheus", "alertmanager", "grafana"]);
  });

  it.each(services)("pins the image of %s to a version", (_name, { image }) => {
    expect(image).toMatch(/^[\w./-]+:v?\d+\.\d+\.\d+$/);
  });

  it.each(services)("gives %s a root that is read only, no capabilities, and the loopback alone", (_name, service) => {
    expect(service.read_only).toBe(true);
    expect(service.cap_drop).toEqual(["ALL"]);
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  it.each(services)("mounts into %s what there is", (_name, { volumes = [] }) => {
    for (const volume of volumes) {
      const source = volume.split(":")[0] as string;
      if (source.startsWith(".")) expect(existsSync(resolve(ROOT, source)), source).toBe(true);
      else expect(Object.keys(compose.volumes)).toContain(source);
      if (source.startsWith(".")) expect(volume, "a file of the checkout is not written").toMatch(/:ro$/);
    }
  });

  it("has the files of its secrets, and waits for services that tell when they are healthy", () => {
    for (const { file } of Object.values(compose.secrets)) expect(existsSync(resolve(ROOT, file)), file).toBe(true);
    for (const [, { depends_on = {} }] of services) {
      for (const name of Object.keys(depends_on)) {
        const { healthcheck, build } = compose.services[name] as Service;
        expect(healthcheck ?? build, `${name}: a built image brings its own check`).toBeDefined();
      }
    }
  });

  it("runs the daemon with a config that it takes", async () => {
    const { exitCode, stderr } = await cliWith(["check-config", resolve(ROOT, "config/compose/contextd.yaml")]);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  });

  it("routes alerts as the shipped config does, to the daemon under its name there", () => {
    const settings = (path: string) => parse(read(path)) as unknown;
    const here = JSON.parse(
      JSON.stringify(settings("config/alertmanager/alertmanager.yml")).replaceAll("127.0.0.1:7420", "contextd:7420"),
    );
    expect(settings("config/compose/alertmanager.yml")).toEqual(here);
  });

  it("scrapes and tells the services that it runs", () => {
    for (const [file, target] of [
      ["contextd", "contextd:7420"],
      ["alertmanager", "alertmanager:9093"],
    ]) {
      expect(parse(read(`config/compose/targets/${file}.yml`))).toEqual([{ targets: [target] }]);
    }
  });
});

describe("Dockerfile", () => {
  const dockerfile = read("Dockerfile");

  it("runs as nobody in particular on the Node that is tested, with a check of health", () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));
    expect(dockerfile.match(/^FROM (\S+)/gm)).toEqual([
      "FROM node:24.4.1-bookworm-slim",
      "FROM node:24.4.1-bookworm-slim",
    ]);
    expect(last).toMatch(/^USER node$/m);
    expect(last).toContain("HEALTHCHECK");
    expect(last).toContain("/livez");
  });

  it("copies what there is and what .dockerignore lets through", () => {
    const allowed = read(".dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources]) =>
      (sources as string).split(" "),
    );
    expect(copied.length).toBeGreaterThan(3);
    for (const source of copied) {
      expect(existsSync(resolve(ROOT, source)), source).toBe(true);
      expect(
        allowed.some((path) => source === path || source.startsWith(`${path}/`)),
        source,
      ).toBe(true);
    }
  });
});
