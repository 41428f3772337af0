import type { Rule } from './rule.ts';

/** Rules about what runs elsewhere, and what is published. */
export const infrastructureRules = [
  {
    id: 'infrastructure/destroy',
    answer: 'ask',
    about:
      'Deletes resources: terraform destroy, kubectl delete, helm uninstall, aws … delete-…, gcloud, az.',
    why: 'They are in use, and their data goes with them.',
    instead: 'Show the plan first: "terraform plan -destroy", "kubectl delete --dry-run=client".',
    catches: 'terraform destroy -auto-approve',
    lets: 'terraform plan',
  },
  {
    id: 'infrastructure/apply',
    answer: 'ask',
    about: 'Changes infrastructure without showing the plan to anybody.',
    why: 'A change may replace what it changes.',
    instead: 'Run "terraform plan -out plan" and let the user apply it.',
    catches: 'terraform apply -auto-approve',
    lets: 'terraform validate',
  },
  {
    id: 'infrastructure/containers',
    answer: 'ask',
    about:
      'Deletes volumes of containers, or everything that does not run: docker volume rm, system prune, compose down -v.',
    why: 'Databases of the project live in volumes.',
    instead: 'Use "docker compose down", which keeps them.',
    catches: 'docker compose down -v',
    lets: 'docker compose down',
  },
  {
    id: 'infrastructure/database',
    answer: 'ask',
    about: 'Drops or empties databases and tables, or deletes or changes all rows.',
    why: 'Only a backup brings them back.',
    instead: 'Add a WHERE, or work in a transaction that is rolled back.',
    catches: 'psql -c "DROP TABLE users"',
    lets: 'psql -c "SELECT * FROM users"',
  },
  {
    id: 'infrastructure/remote-files',
    answer: 'ask',
    about: 'Deletes files in a storage service: aws s3 rm --recursive, gsutil rm -r, rclone purge.',
    why: 'Without versions nothing brings them back.',
    instead: 'Use --dryrun first.',
    catches: 'aws s3 rm s3://bucket --recursive',
    lets: 'aws s3 ls s3://bucket',
  },
  {
    id: 'publishing/publish',
    answer: 'ask',
    about: 'Publishes or withdraws a package, a release or an image.',
    why: 'Others install it at once, and a version cannot be published twice.',
    instead: 'Use --dry-run, and let the user publish.',
    catches: 'npm publish',
    lets: 'npm publish --dry-run',
  },
] as const satisfies readonly Rule[];
