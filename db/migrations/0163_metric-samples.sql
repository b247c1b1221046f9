-- Up Migration

-- The fleet once a minute: what it has counted so far, over all processes, and what its queues hold. Hourly after two days.
create table metric_samples (
  at timestamptz primary key,
  requests double precision not null,
  errors double precision not null,
  duration_buckets jsonb not null,
  jobs_done double precision not null,
  jobs_failed double precision not null,
  queued integer not null,
  dead integer not null,
  published bigint not null,
  sold bigint not null
);

-- Down Migration

drop table metric_samples;
