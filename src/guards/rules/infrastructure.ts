import type { QueryEffect, RunEffect } from '../../shell/reading/effects.ts';
import type { Check } from './rule.ts';
import { publishing } from './publishing.ts';
import {
  destroys,
  empties,
  prunes,
  publishes,
  removes,
  type InfrastructureRule,
  type Shape,
} from './shapes.ts';
import { lossOf } from './statements.ts';
import { inTable } from '../../base/json.ts';

type Found = readonly [rule: InfrastructureRule, does: string] | undefined;

/** Speaks about resources elsewhere: what is destroyed, emptied or published. */
export const checkInfrastructure: Check = function* (effect) {
  const found =
    effect.kind === 'query' ? ofQuery(effect) : effect.kind === 'run' ? ofRun(effect) : undefined;
  if (found !== undefined) yield { rule: found[0], part: effect.by, does: found[1] };
};

function ofQuery({ text, language, program }: QueryEffect): Found {
  const loss = lossOf(text, language);
  return loss === undefined ? undefined : ['infrastructure/database', `lets ${program} ${loss}`];
}

const dry = /(?:^| )--?(?:dry-?run(?!=none)|what-if|help|h)\b/;
const terraform: readonly Shape[] = [
  destroys(
    /^(?:-\S+ )*(?:destroy|apply (?:.* )?-destroy|state rm|workspace delete|force-unlock|taint)\b/,
    'destroys what terraform manages, or forgets it',
  ),
  {
    matches: /^(?:-\S+ )*apply (?:.* )?-auto-approve/,
    does: 'changes infrastructure without asking',
    rule: 'infrastructure/apply',
  },
];
const kube: readonly Shape[] = [
  destroys(/(?:^| )delete(?: |$)/, 'deletes resources of the cluster', dry),
  destroys(/(?:^| )drain /, 'drains a node', dry),
  destroys(/(?:^| )scale .*--replicas=0/, 'stops all replicas', dry),
  destroys(/(?:^| )replace .*--force/, 'replaces resources by force', dry),
];
const docker: readonly Shape[] = [
  prunes(
    /^(?:volume (?:rm|remove|prune)|system prune|container prune|image prune .*-a)\b/,
    'deletes volumes or everything that does not run',
  ),
  prunes(
    /^(?:-\S+ )*(?:compose )?(?:.* )?down (?:.* )?(?:-v|--volumes)\b|^(?:compose )?(?:.* )?rm (?:.* )?-\w*v/,
    'deletes the volumes of the containers',
  ),
  prunes(/^(?:container )?rm (?:.* )?[\uE000\uE005]/, 'deletes all containers'),
  publishes(/^(?:image )?push\b|^buildx build .*--push\b|^manifest push/, 'publishes an image'),
];

/** A server of this machine that is being developed; a store that runs here holds data all the same. */
const isDeveloped =
  /\b(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(?::(?!(?:9200|9300|7700|8983|5984|6333|8086|8500|15672)\b)\d+)?(?:\/(?!indexes\/|_\w)|[\s'"]|$)/;
const deletesByHttp: readonly Shape[] = [
  destroys(
    /(?:^| )(?:-X ?|--request[ =]|--method[ =])?DELETE(?: |$)/i,
    'deletes something on a server',
    isDeveloped,
  ),
  destroys(/\/(?:_delete_by_query|doDelete)\b/, 'deletes something on a server'),
];

const shapes: Readonly<Record<string, readonly Shape[]>> = {
  ...publishing,
  terraform,
  tofu: terraform,
  terragrunt: [
    ...terraform,
    destroys(/^(?:run-all|run --all) (?:destroy|apply)/, 'destroys or changes all modules'),
  ],
  pulumi: [
    destroys(/^(?:-\S+ )*(?:destroy|stack rm|state delete)\b/, 'destroys a stack'),
    {
      matches: /^up\b.*(?:--yes|-y)\b/,
      does: 'changes infrastructure without asking',
      rule: 'infrastructure/apply',
    },
  ],
  cdk: [destroys(/^destroy\b/, 'destroys stacks')],
  sam: [destroys(/^delete\b/, 'deletes a stack')],
  serverless: [...publishing['serverless']!, destroys(/^remove\b/, 'removes a service')],
  sls: [...publishing['sls']!, destroys(/^remove\b/, 'removes a service')],
  cdktf: [destroys(/^destroy\b/, 'destroys stacks')],
  ansible: [
    destroys(
      /-a ['"]?.*\b(?:rm -rf|mkfs|shutdown|reboot)\b/,
      'runs a destructive command on other machines',
    ),
  ],
  vagrant: [destroys(/^destroy\b/, 'deletes a virtual machine')],
  multipass: [destroys(/^(?:delete|purge)\b/, 'deletes a virtual machine')],
  virsh: [destroys(/^(?:undefine|destroy|vol-delete|pool-delete)\b/, 'deletes a virtual machine')],
  kubectl: kube,
  oc: kube,
  k: kube,
  kind: [destroys(/^delete\b/, 'deletes a cluster')],
  minikube: [destroys(/^delete\b/, 'deletes a cluster')],
  k3d: [destroys(/^cluster delete\b/, 'deletes a cluster')],
  eksctl: [destroys(/^delete\b/, 'deletes a cluster')],
  helm: [
    destroys(/^(?:-\S+ )*(?:uninstall|delete|del|un)\b/, 'removes a release', dry),
    publishes(/^push\b/, 'publishes a chart'),
  ],
  helmfile: [destroys(/^(?:destroy|delete)\b/, 'removes all releases')],
  argocd: [destroys(/^app delete\b/, 'deletes an application')],
  flux: [destroys(/^(?:uninstall|delete)\b/, 'removes resources of the cluster')],
  aws: [
    removes(
      /\bs3 (?:rm .*--recursive|rb\b|sync .*--delete|mv .*--recursive)|\bs3api delete-|\bs3 rm /,
      'deletes objects of a bucket',
      /--dryrun/,
    ),
    destroys(
      /^(?:--\S+ \S+ )*[\w-]+ (?:delete|terminate|remove|destroy|purge|deregister|disable|schedule-key-deletion|release|revoke|reset)[\w-]*\b/,
      'deletes resources of the account',
      dry,
    ),
  ],
  gcloud: [
    removes(/\bstorage (?:rm|buckets delete|objects delete)\b/, 'deletes objects of a bucket'),
    destroys(
      /(?:^| )(?:delete|destroy|remove-iam-policy-binding|reset)\b/,
      'deletes resources of the project',
    ),
  ],
  gsutil: [removes(/(?:^| )(?:rm|rb)\b|rsync .*-d\b/, 'deletes objects of a bucket', / -n\b/)],
  bq: [empties(/^rm\b/, 'deletes tables or datasets')],
  az: [
    destroys(
      /(?:^| )(?:delete|purge|delete-batch|remove)\b/,
      'deletes resources of the subscription',
    ),
  ],
  azcopy: [removes(/^(?:remove|rm|sync .*--delete-destination)/, 'deletes objects of a container')],
  doctl: [destroys(/(?:^| )(?:delete|destroy|rm)\b/, 'deletes resources of the account')],
  hcloud: [destroys(/(?:^| )delete\b/, 'deletes resources of the account')],
  linode: [destroys(/(?:^| )delete\b/, 'deletes resources of the account')],
  'linode-cli': [destroys(/(?:^| )delete\b/, 'deletes resources of the account')],
  rclone: [
    removes(
      /^(?:purge|delete|deletefile|sync|cleanup|rmdirs)\b/,
      'deletes files of a remote',
      /--dry-run|(?:^| )-n\b/,
    ),
  ],
  s3cmd: [
    removes(
      /^(?:del|rb|rm|sync .*--delete-removed)/,
      'deletes objects of a bucket',
      /--dry-run|(?:^| )-n\b/,
    ),
  ],
  mc: [removes(/^(?:rm|rb|mirror .*--remove)/, 'deletes objects of a bucket')],
  heroku: [
    destroys(
      /^(?:apps:destroy|addons:destroy|pg:reset|domains:remove|ps:scale .*=0)\b/,
      'destroys an application or its data',
    ),
  ],
  fly: [
    ...publishing['fly']!,
    destroys(
      /^(?:apps? destroy|destroy|volumes? (?:delete|destroy)|machines? destroy|postgres .*destroy)\b/,
      'destroys an application or its data',
    ),
  ],
  flyctl: [
    ...publishing['flyctl']!,
    destroys(
      /^(?:apps? destroy|destroy|volumes? (?:delete|destroy)|machines? destroy)\b/,
      'destroys an application or its data',
    ),
  ],
  vercel: [
    ...publishing['vercel']!,
    destroys(/^(?:rm|remove|project rm|env rm|domains rm)\b/, 'removes a deployment'),
  ],
  netlify: [
    ...publishing['netlify']!,
    destroys(/^(?:sites:delete|api deleteSite|env:unset)\b/, 'deletes a site'),
  ],
  wrangler: [
    ...publishing['wrangler']!,
    destroys(
      /^(?:delete|kv:?\s?(?:namespace|key|bulk) delete|r2 (?:bucket|object) delete|d1 delete|secret delete|queues delete)\b/,
      'deletes a worker or its data',
    ),
  ],
  supabase: [
    empties(/^db reset\b/, 'resets the database'),
    destroys(/^projects delete\b/, 'deletes a project'),
  ],
  firebase: [
    ...publishing['firebase']!,
    destroys(
      /^(?:firestore:delete|database:remove|hosting:disable|functions:delete|projects:delete)/,
      'deletes data of the project',
    ),
  ],
  railway: [
    destroys(/^(?:down|delete|volume delete|environment delete)\b/, 'deletes a deployment'),
  ],
  gh: [
    destroys(
      /^(?:repo (?:delete|archive)|secret (?:delete|remove)|variable delete|cache delete|run delete|label delete|issue delete|gist delete|ssh-key delete|gpg-key delete|project delete)\b/,
      'deletes something of the repository on GitHub',
    ),
    destroys(
      /^api .*(?:-X|--method)[ =]?(?:DELETE|delete)\b/,
      'deletes something through the interface of GitHub',
    ),
    publishes(/^release (?:create|upload|delete|edit)\b/, 'publishes or withdraws a release'),
  ],
  glab: [
    destroys(
      /^(?:repo delete|project delete|variable delete|release delete|issue delete|mr delete)\b/,
      'deletes something of the repository on GitLab',
    ),
    publishes(/^release (?:create|upload)\b/, 'publishes a release'),
  ],
  docker,
  podman: docker,
  nerdctl: docker,
  'docker-compose': [
    prunes(
      /(?:^| )down (?:.* )?(?:-v|--volumes)\b|(?:^| )rm (?:.* )?-\w*v/,
      'deletes the volumes of the containers',
    ),
  ],
  mix: [
    publishes(/^hex\.publish\b/, 'publishes a package'),
    empties(/^ecto\.(?:drop|reset)\b/, 'drops the database'),
  ],
  dropdb: [empties(/^(?!.*--help)/, 'drops a database')],
  dropuser: [empties(/^(?!.*--help)/, 'drops a database user')],
  mysqladmin: [empties(/(?:^| )drop\b/, 'drops a database')],
  pg_restore: [empties(/(?:^| )(?:-c|--clean)\b/, 'drops what it restores')],
  mongorestore: [empties(/--drop\b/, 'drops collections')],
  rails: [empties(/^db:(?:drop|reset|purge|schema:load|migrate:reset)/, 'drops the database')],
  rake: [empties(/^db:(?:drop|reset|purge|schema:load|migrate:reset)/, 'drops the database')],
  prisma: [
    empties(
      /^(?:migrate reset|db push .*--(?:force-reset|accept-data-loss))/,
      'resets the database',
    ),
  ],
  'drizzle-kit': [empties(/^(?:drop|push .*--force)/, 'drops tables')],
  typeorm: [empties(/(?:^| )(?:schema:drop|query .*DROP)/, 'drops the schema')],
  sequelize: [empties(/^db:drop|db:migrate:undo:all/, 'drops the database')],
  knex: [empties(/^migrate:rollback .*--all/, 'rolls everything back')],
  artisan: [empties(/^(?:migrate:(?:fresh|reset|refresh)|db:wipe)/, 'drops all tables')],
  php: [
    empties(
      /^(?:\S*\/)?artisan (?:migrate:(?:fresh|reset|refresh)|db:wipe)|^bin\/console doctrine:(?:database|schema):drop/,
      'drops all tables',
    ),
  ],
  python: [
    empties(
      /^(?:\S*\/)?manage\.py (?:flush|reset_db|sqlflush|migrate \S+ zero)/,
      'empties the database',
    ),
  ],
  alembic: [empties(/^downgrade base/, 'rolls everything back')],
  flyway: [empties(/(?:^| )clean\b/, 'drops the schema')],
  liquibase: [empties(/(?:^| )(?:drop-all|dropAll)\b/, 'drops the schema')],
  zfs: [destroys(/^(?:destroy|rollback)\b/, 'destroys a file system')],
  zpool: [destroys(/^(?:destroy|labelclear)\b/, 'destroys a pool')],
  lvremove: [destroys(/^/, 'deletes a volume')],
  vgremove: [destroys(/^/, 'deletes a volume group')],
  pvremove: [destroys(/^/, 'deletes a physical volume')],
  btrfs: [destroys(/^subvolume delete\b/, 'deletes a subvolume')],
  restic: [destroys(/^(?:-\S+ )*(?:forget|prune)\b/, 'deletes backups', dry)],
  borg: [
    destroys(
      /^(?:delete|prune|compact|repo-delete|rdelete)\b/,
      'deletes backups',
      /(?:^| )(?:--dry-run|-n)\b/,
    ),
  ],
  velero: [destroys(/^(?:backup|restore|schedule|snapshot)\w* delete\b/, 'deletes backups', dry)],
  diskutil: [destroys(/^(?:erase\w*|partitionDisk|apfs delete\w*|zeroDisk)/i, 'erases a disk')],
  tmutil: [destroys(/^delete\b/, 'deletes backups')],
  consul: [destroys(/^kv delete\b/, 'deletes keys')],
  etcdctl: [destroys(/^(?:--\S+ )*(?:del|rm)\b/, 'deletes keys')],
  vault: [
    destroys(
      /^(?:delete|kv (?:delete|destroy|metadata delete)|secrets disable|operator|policy delete|auth disable|lease revoke|token revoke)\b/,
      'deletes secrets',
    ),
  ],
  op: [destroys(/^\w+ delete\b/, 'deletes secrets')],
  doppler: [destroys(/^(?:\w+ )+delete\b/, 'deletes secrets')],
  rabbitmqctl: [
    destroys(
      /^(?:reset|force_reset|delete_\w+|purge_queue|clear_permissions)\b/,
      'deletes queues or permissions',
    ),
  ],
  rabbitmqadmin: [destroys(/(?:^| )(?:delete|purge)\b/, 'deletes queues')],
  nats: [
    destroys(
      /^(?:stream|consumer|kv|object|bucket|account) (?:del\w*|rm|purge)\b/,
      'deletes streams or their messages',
    ),
  ],
  'kafka-delete-records': [destroys(/^/, 'deletes messages')],
  'kafka-consumer-groups': [destroys(/--delete\b|--reset-offsets.*--execute/, 'deletes groups')],
  'kafka-acls': [destroys(/--remove\b/, 'removes permissions')],
  'kafka-configs': [destroys(/--delete-config\b/, 'removes settings')],
  'gitlab-runner': [destroys(/^unregister\b/, 'removes runners')],
  circleci: [destroys(/^\w+ (?:delete|remove-secret)\b/, 'deletes something of the organization')],
  java: [destroys(/jenkins-cli\.jar .*\bdelete-\w+/, 'deletes something of the server')],
  rsync: [
    removes(
      /(?:^| )--del(?:ete[\w-]*)?(?: .*)? [\w.@-]+:\S*$/,
      'deletes files on another machine',
      /(?:^| )(?:--dry-run|-\w*n\w*)\b/,
    ),
  ],
  curl: deletesByHttp,
  http: deletesByHttp,
  https: deletesByHttp,
  xh: deletesByHttp,
  wget: deletesByHttp,
  'kafka-topics': [destroys(/--delete\b/, 'deletes topics')],
  'kafka-topics.sh': [destroys(/--delete\b/, 'deletes topics')],
};

function ofRun({ name, args }: RunEffect): Found {
  const known = inTable(shapes, name) ?? inTable(shapes, name.replace(/\d[\d.]*$/, ''));
  if (known === undefined) return undefined;
  const text = args.join(' ').slice(0, 4_096);
  const shape = known.find(
    ({ matches, unless }) => matches.test(text) && !(unless?.test(text) ?? false),
  );
  return shape === undefined ? undefined : [shape.rule, shape.does];
}
