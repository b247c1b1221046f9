import Supercluster from 'supercluster';

/** `build` replaces the index of a key by points as texts of lines `id lng lat`; `query` answers a part of it; `drop` forgets it. */
export type ClusterTask =
  | { kind: 'build'; key: string; chunks: readonly string[] }
  | { kind: 'query'; key: string; bbox: [number, number, number, number]; zoom: number; most: number }
  | { kind: 'drop'; key: string };

/** Of `build` how many points there are; of `query` the features as JSON, or undefined where there are too many. */
export type ClusterResult = { points: number; features?: never } | { features: string | undefined; points?: never };

const indexes = new Map<string, Supercluster>();

/** Runs one task on the indexes of this thread. The options are supercluster's defaults (radius 40, extent 512, maxZoom 16). */
export default function runClusterTask(task: ClusterTask): ClusterResult {
  if (task.kind === 'build') {
    const points = task.chunks.flatMap((chunk) => chunk.split('\n').map(toFeature));
    indexes.set(task.key, new Supercluster().load(points));
    return { points: points.length };
  }
  if (task.kind === 'drop') {
    indexes.delete(task.key);
    return { points: 0 };
  }
  const index = indexes.get(task.key);
  if (!index) throw new Error('the index of clusters is gone');
  const features = index.getClusters(task.bbox, task.zoom);
  return { features: features.length > task.most ? undefined : JSON.stringify(features) };
}

function toFeature(line: string) {
  const [id = '', lng, lat] = line.split(' ');
  const coordinates = [Number(lng), Number(lat)];
  return { type: 'Feature' as const, id, properties: { id }, geometry: { type: 'Point' as const, coordinates } };
}
